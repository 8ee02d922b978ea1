import DictationCore
import Testing

@testable import DictationEngines

@Suite struct JSGFTests {
    private func error(_ jsgf: String, rule: String? = nil) -> DictationError? {
        do throws(DictationError) {
            _ = try JSGFGrammar(RecognitionTask.Grammar(jsgf: jsgf, rule: rule))
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "#JSGF V1.0;\ngrammar g;\npublic <a> = one | two;",
        "#JSGF V1.0 UTF-8 en; grammar g; public <a> = <b> [please]; <b> = go (forward | back)+ {tag};",
        "public <a> = /2.5/ one | /1/ two // a comment\n ;",
        "/* a\ncomment */ public <a> = one* two;",
        "public <a> = one <a> | one;",
        "public <a> = one [<a>];",
        "public <a> = <b> | one; <b> = two <a>;",
        "public <a> = \"one\" <NULL>;",
    ]) func goodGrammarsAreTaken(jsgf: String) { #expect(error(jsgf) == nil) }

    @Test(arguments: [
        ("public <a> = <b>;", "<b>", 1),
        ("grammar g;\npublic <a> = one\n | <missing>;", "<missing>", 3),
        ("public <a> = <a> one | two;", "<a>", 1),
        ("public <a> = one;\n<b> = <c> two;\n<c> = <b> | three;", "refers to itself", 2),
        ("public <a> = [one] <a>;", "<a>", 1),
        ("public <a> = one | one\n <a> two;", "<a>", 2),
        ("public <a> = (one <a>)* ;", "<a>", 1),
        ("public <a> = one <a>;", "never ends", 1),
        ("public <a> = <VOID>;", "never ends", 1),
        ("public <a> = one", "no “;”", 1),
        ("public <a> = (one;", "“)”", 1),
        ("public <a> = one |;", "empty", 1),
        ("\npublic <a> = ;", "empty", 2),
        ("public <a = one;", "no end", 1),
        ("public <a> = one {tag;", "no end", 1),
        ("public <a> = \"one;", "no end", 1),
        ("/* one", "no end", 1),
        ("public <a> = /x/ one;", "weight", 1),
        ("public <a> = /-1/ one;", "weight", 1),
        ("public <a> = * one;", "repeat", 1),
        ("import <b.c>;\npublic <a> = one;", "import", 1),
        ("public <a> = one;\n<a> = two;", "already", 2),
        ("public one;", "“public” needs a rule", 1),
        ("public <> = one;", "named", 1),
        ("one", "a rule is missing", 1),
        ("#JSGF V1.0", "“;”", 1),
    ]) func badGrammarsAreRefusedByLine(jsgf: String, naming: String, line: Int) {
        let error = error(jsgf)
        #expect(error?.code == .invalidInput)
        #expect(error?.recovery != nil)
        #expect(error?.message.contains(naming) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("line \(line)") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: ["", "<a> = one;", "public <a> = <NULL>;"]) func grammarsWithNothingToSayAreRefused(jsgf: String) {
        #expect(error(jsgf)?.code == .invalidInput)
    }

    @Test func aRuleThatIsNotThereIsRefused() {
        #expect(error("public <a> = one;", rule: "b")?.message.contains("<b>") == true)
    }

    @Test func aGrammarThatGrowsWithoutEndIsRefused() {
        var jsgf = "public <r0> = <r1> <r1>;\n"
        for index in 1..<40 { jsgf += "<r\(index)> = <r\(index + 1)> <r\(index + 1)>;\n" }
        jsgf += "<r40> = one;\n"
        #expect(error(jsgf)?.message.contains("more than") == true)
    }

    @Test func bracketsCanBeTooDeep() {
        let deep = String(repeating: "(", count: 10_000) + "one" + String(repeating: ")", count: 10_000)
        #expect(error("public <a> = \(deep);")?.message.contains("brackets") == true)
    }
}

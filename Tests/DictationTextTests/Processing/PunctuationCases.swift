/// English as it is said, and as it is written with marks and layout. `⏎` is the end of a line.
let punctuationCases = """
    # Marks that join the word before
    hello comma world => Hello, world
    hello period => Hello.
    hello full stop => Hello.
    is it true question mark => Is it true?
    stop exclamation mark => Stop!
    stop exclamation point => Stop!
    three things colon => Three things:
    one semicolon two => One; two
    one semi colon two => One; two
    wait ellipsis => Wait…
    wait dot dot dot => Wait…
    # Marks between words
    well hyphen known => Well-known
    one dash two => One – two
    one em dash two => One—two
    and slash or => And/or
    me at sign example => Me@example
    rock ampersand roll => Rock & roll
    # Pairs
    he said open quote hello close quote => He said “hello”
    he said begin quote hello unquote => He said “hello”
    he said open quotes hello close quotes period => He said “hello”.
    open parenthesis maybe close parenthesis => (Maybe)
    so open paren maybe close paren => So (maybe)
    so left parenthesis maybe right parenthesis => So (maybe)
    so open bracket sic close bracket => So [sic]
    so open brace x close brace => So {x}
    # Layout
    one new line two => One⏎Two
    one newline two => One⏎Two
    one new paragraph two => One⏎⏎Two
    one period new paragraph two => One.⏎⏎Two
    new paragraph one => ⏎⏎One
    one new line new line two => One⏎⏎Two
    one new line new paragraph two => One⏎⏎Two
    one new paragraph new line two => One⏎⏎Two
    one comma new line two => One,⏎Two
    one new line => One⏎
    # Capitals
    one period two period three => One. Two. Three
    one question mark two => One? Two
    one exclamation mark two => One! Two
    one colon two => One: two
    one comma two => One, two
    one period open quote two close quote => One. “Two”
    one period close quote two => One.” Two
    one ellipsis two => One… two
    period period => ..
    élan period école => Élan. École
    # Several marks
    really question mark exclamation mark => Really?!
    hello comma comma => Hello,,
    hello comma period => Hello,.
    # Words that are no marks
    colon cancer is a disease => Colon cancer is a disease
    comma butterflies => Comma butterflies
    one period colon surgery => One. Colon surgery
    the period was long => The period was long
    a period of time => A period of time
    for a period => For a period
    a long period of time => A long period of time
    every period => Every period
    the comma is missing => The comma is missing
    a dash of salt => A dash of salt
    put a question mark there => Put a question mark there
    our colon => Our colon
    literal period => Period
    type literal comma here => Type comma here
    a new line of products => A new line of products
    the new paragraph => The new paragraph
    question => Question
    mark my words => Mark my words
    full => Full
    open the door => Open the door
    close => Close
    new => New
    quote => Quote
    dot => Dot
    dot dot => Dot dot
    # Marks that the engine wrote
    Hello, comma, world. => Hello, world.
    Hello comma. World => Hello, World
    Hello period. => Hello.
    Hello. Period. => Hello.
    Hello, period. World => Hello. World
    Hello. New paragraph. World. => Hello.⏎⏎World.
    Hello, new line, world => Hello⏎World
    Is it true? Question mark. => Is it true?
    Already (written), "really". => Already (written), "really".
    Full stop. => .
    don't comma => Don't,
    3.5 comma => 3.5,
    Mr. Smith comma => Mr. Smith,
    HELLO COMMA WORLD => HELLO, WORLD
    hello Comma world => Hello, world
    """

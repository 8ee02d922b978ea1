extension SpokenNumbers.Words {
    /// The built-in tables.
    static let builtIn = [
        "en": """
        number 0 zero, nought
        number 1 one
        number 2 two
        number 3 three
        number 4 four
        number 5 five
        number 6 six
        number 7 seven
        number 8 eight
        number 9 nine
        number 10 ten
        number 11 eleven
        number 12 twelve
        number 13 thirteen
        number 14 fourteen
        number 15 fifteen
        number 16 sixteen
        number 17 seventeen
        number 18 eighteen
        number 19 nineteen
        number 20 twenty
        number 30 thirty
        number 40 forty, fourty
        number 50 fifty
        number 60 sixty
        number 70 seventy
        number 80 eighty
        number 90 ninety
        scale 100 hundred
        scale 1000 thousand
        scale 1000000 million
        scale 1000000000 billion
        scale 1000000000000 trillion
        ordinal 1 first
        ordinal 2 second
        ordinal 3 third
        ordinal 4 fourth
        ordinal 5 fifth
        ordinal 6 sixth
        ordinal 7 seventh
        ordinal 8 eighth
        ordinal 9 ninth
        ordinal 10 tenth
        ordinal 11 eleventh
        ordinal 12 twelfth
        ordinal 13 thirteenth
        ordinal 14 fourteenth
        ordinal 15 fifteenth
        ordinal 16 sixteenth
        ordinal 17 seventeenth
        ordinal 18 eighteenth
        ordinal 19 nineteenth
        ordinal 20 twentieth
        ordinal 30 thirtieth
        ordinal 40 fortieth
        ordinal 50 fiftieth
        ordinal 60 sixtieth
        ordinal 70 seventieth
        ordinal 80 eightieth
        ordinal 90 ninetieth
        ordinal 100 hundredth
        ordinal 1000 thousandth
        ordinal 1000000 millionth
        decade 20 twenties
        decade 30 thirties
        decade 40 forties
        decade 50 fifties
        decade 60 sixties
        decade 70 seventies
        decade 80 eighties
        decade 90 nineties
        decade 100 hundreds
        and and
        article a
        oh oh, o
        repeat 2 double
        repeat 3 triple
        point point
        minus minus, negative
        percent percent, per cent
        currency $ dollar, dollars
        currency € euro, euros
        currency ¥ yen
        currency £ pound sterling, pounds sterling
        currency ₹ rupee, rupees
        cents cent, cents
        month 1 January
        month 2 February
        month 3 March?
        month 4 April
        month 5 May?
        month 6 June
        month 7 July
        month 8 August?
        month 9 September
        month 10 October
        month 11 November
        month 12 December
        meridiem AM am, a m, a.m., a.m
        meridiem PM pm, p m, p.m., p.m
        clock o'clock, o clock
        at at
        daytime in the morning, in the afternoon, in the evening, at night
        daytime this morning, this afternoon, this evening, tonight
        the the
        or or
        plus plus
        half half
        quarter quarter
        past past
        to to
        of of
        label page, pages, chapter, chapters, figure, room, section, step, steps, version, volume
        counted seconds, minutes, hours, days, weeks, months, years, times
        hesitation uh, uhh, um, umm, uhm, er, erm, hm, hmm
        format . ,
        phone 3 4
        phone 3 3 4
        """
    ]
}

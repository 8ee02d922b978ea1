extension SpokenPunctuation.Marks {
    /// The built-in tables.
    static let builtIn = [
        "en": """
        previous   ,   comma
        previous   ;   semicolon, semi colon, semi-colon
        previous   :   colon
        previous   …   ellipsis, dot dot dot
        sentence   .   period, full stop
        sentence   ?   question mark
        sentence   !   exclamation mark, exclamation point
        next       “   open quote, open quotes, begin quote, open quotation mark
        previous   ”   close quote, close quotes, end quote, unquote, close quotation mark
        next       (   open parenthesis, open paren, left parenthesis
        previous   )   close parenthesis, close paren, right parenthesis
        next       [   open bracket, left bracket
        previous   ]   close bracket, right bracket
        next       {   open brace, left brace
        previous   }   close brace, right brace
        both       -   hyphen
        both       —   em dash
        both       /   slash, forward slash
        both       @   at sign
        neither    –   dash, en dash
        neither    &   ampersand
        line           new line, newline
        paragraph      new paragraph
        noun           a, an, the, every, my, your, our, their
        of             of
        literal        literal
        """,
        "de": """
        previous   ,   komma
        previous   ;   semikolon, strichpunkt
        previous   :   doppelpunkt
        previous   …   auslassungspunkte
        sentence   .   punkt
        sentence   ?   fragezeichen
        sentence   !   ausrufezeichen
        next       „   anführungszeichen auf
        previous   “   anführungszeichen zu
        next       (   klammer auf
        previous   )   klammer zu
        both       -   bindestrich
        both       /   schrägstrich
        neither    –   gedankenstrich
        line           neue zeile
        paragraph      neuer absatz
        noun           ein, eine, einen, einem, der, die, das, den, dem, kein, keinen, jeder, jeden
        literal        wörtlich
        """,
        "es": """
        previous   ,   coma
        previous   ;   punto y coma
        previous   :   dos puntos
        previous   …   puntos suspensivos
        sentence   .   punto
        next       ¿   abrir interrogación, abre interrogación
        sentence   ?   cerrar interrogación, cierra interrogación
        next       ¡   abrir exclamación, abre exclamación
        sentence   !   cerrar exclamación, cierra exclamación
        next       «   abrir comillas
        previous   »   cerrar comillas
        next       (   abrir paréntesis
        previous   )   cerrar paréntesis
        both       -   guion
        line           nueva línea
        paragraph      punto y aparte, nuevo párrafo
        noun           un, una, el, la, los, las, este, esta, cada
        of             de
        literal        literal
        """,
        "fr": """
        previous   ,   virgule
        previous   ;   point virgule, point-virgule
        previous   :   deux points, deux-points
        previous   …   points de suspension
        sentence   .   point
        sentence   ?   point d'interrogation
        sentence   !   point d'exclamation
        next       «   ouvrir les guillemets, ouvrez les guillemets
        previous   »   fermer les guillemets, fermez les guillemets
        both       -   trait d'union
        next       (   ouvrir la parenthèse
        previous   )   fermer la parenthèse
        line           à la ligne
        paragraph      nouveau paragraphe
        noun           un, une, le, la, les, ce, cette, chaque
        of             de, d'
        literal        littéral
        """,
    ]
}

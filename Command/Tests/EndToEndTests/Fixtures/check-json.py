"""check-json.py SCHEMA DOCUMENT: fails unless the document is valid."""
import json
import sys

import jsonschema

schema, document = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(document, schema)

#!/usr/bin/env python3
"""Validates JSON against schemas: validate.py [--closed] SCHEMA FILE...

A FILE that ends in .jsonl is validated line by line. With --closed, a key that the schema does not describe is an
error. Exits with 77 if the library is missing, and with 1 if a file is not valid.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing")
    sys.exit(77)


def closed(schema):
    """Returns the schema, changed to allow only the keys that it describes."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        made.setdefault("additionalProperties", False)
    return made


def documents(name):
    with open(name, encoding="utf-8") as file:
        if name.endswith(".jsonl"):
            return [json.loads(line) for line in file]
        return [json.load(file)]


def main(arguments):
    is_closed = arguments[0] == "--closed"
    schema_name, *files = arguments[1:] if is_closed else arguments
    with open(schema_name, encoding="utf-8") as file:
        schema = json.load(file)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(closed(schema) if is_closed else schema)
    problems = 0
    for name in files:
        for document in documents(name):
            for error in validator.iter_errors(document):
                problems += 1
                print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:500]}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

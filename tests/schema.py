"""The part of JSON Schema that docs/schema/ uses: an assertion fails where the data do not fit."""

import json

import pto

TYPES = {'object': dict, 'array': list, 'string': str, 'integer': int, 'number': (int, float),
         'null': type(None), 'boolean': bool}


def load(text, name):
    """The data of a JSON text, which has to fit docs/schema/NAME.schema.json."""
    data = json.loads(text)
    with open(pto.source('docs', 'schema', name + '.schema.json')) as file:
        check(data, json.load(file), where=name)
    return data


def check(data, schema, root=None, where='report'):
    root = root or schema
    if '$ref' in schema:
        target = root
        for part in schema['$ref'].lstrip('#/').split('/'):
            target = target[part]
        return check(data, target, root, where)
    if 'oneOf' in schema:       # null, or what the other one describes
        nothing, something = schema['oneOf']
        return check(data, nothing if data is None else something, root, where)
    if 'enum' in schema:
        assert data in schema['enum'], '%s: %r' % (where, data)
        return
    types = schema['type'] if isinstance(schema['type'], list) else [schema['type']]
    assert any(isinstance(data, TYPES[t]) for t in types), '%s is %r' % (where, data)
    if isinstance(data, dict):
        for key in schema.get('required', []):
            assert key in data, '%s lacks %s' % (where, key)
        for key, value in data.items():
            known = schema.get('properties', {}).get(key, schema['additionalProperties'])
            assert known, '%s has an unknown %s' % (where, key)
            check(value, known, root, '%s.%s' % (where, key))
    if isinstance(data, list):
        for i, value in enumerate(data):
            check(value, schema['items'], root, '%s[%d]' % (where, i))

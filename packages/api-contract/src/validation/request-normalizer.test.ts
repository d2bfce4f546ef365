import { describe, expect, it } from '@jest/globals';
import { ReadOnly } from '@calls/foundation/schema/annotations';
import { Closed, JsonObject, Nullable } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type TSchema } from 'typebox';
import { operations } from '../operations/index.ts';
import { defineResource } from '../rest/resource.ts';
import { requestNormalizer, snakeCase } from './request-normalizer.ts';

const Setting = Closed({
  maxDelay: Type.Optional(Type.Number()),
  note: Type.Optional(Nullable(Type.String())),
});
const Body = defineResource('Body', {
  createdAt: ReadOnly(Type.String()),
  displayName: Type.String(),
  firstSetting: Type.Optional(Nullable(Setting)),
  moreSettings: Type.Optional(Type.Array(Setting)),
  namedSettings: Type.Optional(Type.Record(Type.String(), Setting)),
  freeForm: Type.Optional(JsonObject),
  anyValue: Type.Optional(Type.Unknown()),
  eitherForm: Type.Optional(Type.Union([Closed({ formA: Type.Number() }), Closed({ formB: Type.Number() })])),
}).Request;
const normalize = requestNormalizer(Body);

describe('requestNormalizer', () => {
  it('converts snake_case names to the names of the schema, at every depth', () => {
    const given = {
      display_name: 'a',
      first_setting: { max_delay: 1 },
      more_settings: [{ max_delay: 2 }],
      named_settings: { my_key: { max_delay: 3 } },
      either_form: { form_b: 1 },
    };
    expect(normalize(given)).toEqual({
      value: {
        displayName: 'a',
        firstSetting: { maxDelay: 1 },
        moreSettings: [{ maxDelay: 2 }],
        namedSettings: { my_key: { maxDelay: 3 } },
        eitherForm: { formB: 1 },
      },
      issues: [],
    });
    expect(given.first_setting).toEqual({ max_delay: 1 });
  });

  it('preserves keys of free maps, values of any type and unknown fields', () => {
    const given = { freeForm: { max_delay: null }, anyValue: null, noSuch_field: { max_delay: null } };
    expect(normalize(given).value).toBe(given);
    const odd = JSON.parse('{"__proto__": {"a": 1}, "display_name": "a"}') as unknown;
    expect(JSON.stringify(normalize(odd).value)).toBe('{"__proto__":{"a":1},"displayName":"a"}');
    for (const other of [null, 'text', 5, [{ display_name: 'a' }]])
      expect(normalize(other).value).toBe(other);
  });

  it('drops read-only fields, and null in optional fields unless the schema allows null', () => {
    const given = {
      createdAt: 'now',
      created_at: null,
      displayName: null,
      firstSetting: null,
      moreSettings: null,
      namedSettings: { a: { maxDelay: null, note: null }, b: null },
    };
    expect(normalize(given).value).toEqual({
      displayName: null,
      firstSetting: null,
      namedSettings: { a: { note: null }, b: null },
    });
  });

  it('reports fields that are given in both spellings, whatever their values', () => {
    const given = {
      namedSettings: { a: { maxDelay: 1, max_delay: null } },
      display_name: 'a',
      displayName: 'a',
    };
    expect(normalize(given).issues).toEqual([
      { path: 'namedSettings.a.maxDelay', message: 'is given twice: as maxDelay and as max_delay' },
      { path: 'displayName', message: 'is given twice: as displayName and as display_name' },
    ]);
  });
});

interface Node {
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  anyOf?: Node[];
  readOnly?: boolean;
}
interface Place {
  path: string;
  /** The smallest body that has these fields at the place. */
  bodyWith(fields: object): unknown;
  name: string;
  isRequired: boolean;
}

/** Every field that a body may have, at every depth. */
function placesIn(
  node: Node,
  path: string[] = [],
  wrap: (value: unknown) => unknown = (value) => value,
): Place[] {
  const options = node.anyOf ?? [];
  const fields = Object.entries(node.properties ?? {}).filter(([, { readOnly }]) => readOnly !== true);
  const entries = Object.values(node.patternProperties ?? {});
  return [
    ...options.flatMap((option) => placesIn(option, path, wrap)),
    ...(node.items ? placesIn(node.items, [...path, '0'], (value) => wrap([value])) : []),
    ...entries.flatMap((entry) => placesIn(entry, [...path, 'key'], (key) => wrap({ key }))),
    ...fields.flatMap(([name, field]) => [
      {
        path: [...path, name].join('.'),
        bodyWith: (of: object) => wrap(of),
        name,
        isRequired: node.required?.includes(name) ?? false,
      },
      ...placesIn(field, [...path, name], (value) => wrap({ [name]: value })),
    ]),
  ];
}

const bodies = operations.flatMap(({ id, body }): [string, TSchema][] => (body ? [[id, body]] : []));

describe('the body of every operation', () => {
  it.each(bodies)(
    '%s: accepts null for optional fields and both spellings of every name, but not both at once',
    (_id, schema) => {
      const read = requestNormalizer(schema);
      const validator = compileValidator('request body', schema);
      const wrong: string[] = [];
      const issuesOf = (body: unknown): string[] => {
        const { value, issues } = read(body);
        return [...issues, ...validator.issues(value)].map(({ path, message }) => `${path} ${message}`);
      };
      for (const { path, name, bodyWith, isRequired } of placesIn(schema)) {
        const about = (issues: string[]): string[] => issues.filter((issue) => issue.startsWith(`${path} `));
        const spelled = snakeCase(name);
        if (!isRequired) wrong.push(...about(issuesOf(bodyWith({ [name]: null }))));
        if (spelled === name) continue;
        const inCamelCase = issuesOf(bodyWith({ [name]: { odd: [] } }));
        const inSnakeCase = issuesOf(bodyWith({ [spelled]: { odd: [] } }));
        if (inCamelCase.join() !== inSnakeCase.join()) wrong.push(`${path}: ${inSnakeCase.join()}`);
        const both = about(issuesOf(bodyWith({ [name]: null, [spelled]: null })));
        if (!both.some((issue) => issue.includes('given twice'))) wrong.push(`${path}: both are taken`);
      }
      expect(wrong).toEqual([]);
    },
  );
});

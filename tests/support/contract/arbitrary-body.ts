import fc from 'fast-check';
import { isUnion, type SchemaNode } from './json-schema.ts';

const AWKWARD_TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '{{x}}',
  '{{#each}}',
  '🙂'.repeat(20),
  "'; drop table calls; --",
  '-0s',
  '99999999999s',
  '1s',
  '0.384s',
  'https://example.com/{a}',
  'http://169.254.169.254/',
  'wss://example.com',
  '../../etc/passwd',
  '%00',
  'null',
  '__proto__',
  'en-GB',
  '0190a000-0000-7000-8000-00000000d0e5',
  '2026-02-30T25:00:00Z',
  '2026-01-01T00:00:00Z',
  '10.0.0.0/8',
] as const;

const noise = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...AWKWARD_TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, [], {}, 0, -1, 1e308, 0.1, 2 ** 53) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** Created once, because that takes several milliseconds. */
const webUrl = fc.webUrl();

/** Generates values that mostly match the schema and sometimes do not. */
export function arbitraryOf(node: SchemaNode, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: fitting(node, depth) }, { weight: 1, arbitrary: noise });
}

function fitting(node: SchemaNode, depth: number): fc.Arbitrary<unknown> {
  if (node.readOnly) return noise;
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.const !== undefined) return fc.constant(node.const);
  if (node.anyOf) return fc.oneof(...node.anyOf.map((option) => arbitraryOf(option, depth)));
  switch (node.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: node.minimum ?? -1000, max: Math.min(node.maximum ?? 1000, 2_147_483_647) });
    case 'number':
      return fc.double({ min: node.minimum ?? -10, max: node.maximum ?? 10, noNaN: true });
    case 'string':
      return text(node);
    case 'array':
      return fc.array(arbitraryOf(node.items ?? {}, depth + 1), {
        minLength: node.minItems ?? 0,
        maxLength: Math.min(node.maxItems ?? 3, Math.max(node.minItems ?? 0, 3)),
      });
    case 'object':
      return object(node, depth);
    default:
      return noise;
  }
}

function text(node: SchemaNode): fc.Arbitrary<unknown> {
  const options: fc.Arbitrary<unknown>[] = [
    fc.string({ minLength: node.minLength ?? 0, maxLength: Math.min(node.maxLength ?? 40, 40) }),
    fc.constantFrom<unknown>(...AWKWARD_TEXTS),
  ];
  if (node.pattern !== undefined) options.push(fc.stringMatching(new RegExp(node.pattern, 'u')));
  if (node.format === 'uuid') options.push(fc.uuid());
  if (node.format === 'date-time')
    options.push(fc.date({ noInvalidDate: true }).map((date) => date.toISOString()));
  if (node.format === 'uri') options.push(webUrl);
  return fc.oneof(...options);
}

function object(node: SchemaNode, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(node.properties ?? {});
  const [record] = Object.values(node.patternProperties ?? {});
  if (properties.length === 0) {
    return fc.dictionary(fc.string({ maxLength: 10 }), arbitraryOf(record ?? {}, depth + 1), { maxKeys: 3 });
  }
  const model = (entries: [string, SchemaNode][]): Record<string, fc.Arbitrary<unknown>> =>
    Object.fromEntries(entries.map(([name, each]) => [name, arbitraryOf(each, depth + 1)]));
  if (isUnion(node)) {
    return fc.oneof(...properties.map((entry) => fc.record(model([entry]))));
  }
  const required = node.required ?? [];
  // Deep optional fields are less likely, so that bodies stay small.
  const included =
    depth > 1 ? properties.filter(([name], index) => required.includes(name) || index % 3 === 0) : properties;
  return fc.record(model(included), {
    requiredKeys: required.filter((name) => included.some(([key]) => key === name)),
  });
}

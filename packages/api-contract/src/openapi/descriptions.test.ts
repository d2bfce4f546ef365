import { describe, expect, it } from '@jest/globals';
import { operations } from '../operations/index.ts';
import type { JsonSchema } from './component-schemas.ts';
import { openApiDocument } from './openapi-document.ts';

const MAX_SUMMARY_LENGTH = 50;
const MAX_OPERATION_DESCRIPTION_LENGTH = 400;
const MAX_DESCRIPTION_LENGTH = 160;

/** Words of the style guide that no text of the API contains. */
const BANNED =
  /\b(?:nobody|whoever|whom|somebody|anew|in vain|for want of|can not|told|kept|heard|mend(?:s|ed)?|as good as|so long as|save for|recogni[sz]er)\b/iu;

const document = openApiDocument(operations, {
  title: 'Calls',
  version: '0.1.0',
  description: 'Voice calls.',
  serverUrl: 'https://api.example.com',
});

interface Described {
  where: string;
  text: unknown;
  maxLength: number;
}

/** Every property in a schema, at every depth. References lead to components, which are visited on their own. */
function propertiesIn(node: unknown, where: string): Described[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'example' || key === 'examples') return [];
    if (key !== 'properties') return propertiesIn(value, where);
    return Object.entries(value as Record<string, JsonSchema>).flatMap(([name, property]) => [
      {
        where: `${where}.${name}`,
        text: descriptionOf(property),
        maxLength: MAX_DESCRIPTION_LENGTH,
      },
      ...propertiesIn(property, `${where}.${name}`),
    ]);
  });
}

function descriptionOf(property: JsonSchema): unknown {
  if (property['description'] !== undefined) return property['description'];
  const reference = property['$ref'];
  if (typeof reference !== 'string') return undefined;
  const name = reference.replace('#/components/schemas/', '');
  return document.components.schemas[name]?.['description'];
}

const found: Described[] = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
  propertiesIn(schema, name),
);
for (const { id, path, method } of operations) {
  const operation = document.paths[path]![method.toLowerCase()]!;
  found.push(
    { where: `${id} (summary)`, text: operation['summary'], maxLength: MAX_SUMMARY_LENGTH },
    { where: id, text: operation['description'], maxLength: MAX_OPERATION_DESCRIPTION_LENGTH },
    ...(operation['parameters'] as JsonSchema[]).map((parameter) => ({
      where: `${id} (parameter ${String(parameter['name'])})`,
      text: parameter['description'],
      maxLength: MAX_DESCRIPTION_LENGTH,
    })),
    ...propertiesIn([operation['requestBody'], operation['responses']], id),
  );
}
for (const [id, { post }] of Object.entries(document.webhooks ?? {})) {
  found.push(
    { where: `${id} (summary)`, text: post?.['summary'], maxLength: MAX_SUMMARY_LENGTH },
    { where: id, text: post?.['description'], maxLength: MAX_OPERATION_DESCRIPTION_LENGTH },
  );
}

describe('the OpenAPI document', () => {
  it('describes every operation, parameter and property', () => {
    expect(operations.length).toBeGreaterThan(100);
    expect(found.length).toBeGreaterThan(1000);
    const missing = found.filter(({ text }) => typeof text !== 'string' || text === '');
    expect(missing.map(({ where }) => where)).toEqual([]);
  });

  it('contains no banned words and no text above its length limit', () => {
    const texts = found.filter(({ text }) => typeof text === 'string') as (Described & { text: string })[];
    expect(
      texts.filter(({ text }) => BANNED.test(text)).map(({ where, text }) => `${where}: ${text}`),
    ).toEqual([]);
    const long = texts.filter(({ text, maxLength }) => text.length > maxLength);
    expect(long.map(({ where, text }) => `${where}: ${text.length} characters: ${text}`)).toEqual([]);
  });

  it('has descriptions that are sentences, and summaries without a full stop', () => {
    const texts = found.filter(({ text }) => typeof text === 'string') as (Described & { text: string })[];
    const isWellFormed = ({ where, text }: { where: string; text: string }): boolean =>
      where.endsWith('(summary)') ? /^[A-Z].*[^.]$/u.test(text) : /^[`A-Z].*[.)]$/su.test(text);
    expect(texts.filter((each) => !isWellFormed(each)).map(({ where, text }) => `${where}: ${text}`)).toEqual(
      [],
    );
  });

  it('has the statuses 206 and 416 where ranges are supported', () => {
    const ranged = operations.filter(({ description }) => description.includes('`Range`'));
    expect(ranged.length).toBeGreaterThan(1);
    for (const { id, path } of ranged) {
      const { responses } = document.paths[path]!['get']! as { responses: object };
      expect([id, ...Object.keys(responses)]).toEqual(expect.arrayContaining([id, '206', '416']));
    }
  });
});

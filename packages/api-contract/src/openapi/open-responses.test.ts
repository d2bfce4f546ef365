import { expect, it } from '@jest/globals';
import { operations } from '../operations/index.ts';
import { openApiDocument } from './openapi-document.ts';

const document = openApiDocument(operations, {
  title: 'Calls',
  version: '0.1.0',
  description: 'Voice calls.',
  serverUrl: 'https://api.example.com',
});

const { paths, components, webhooks } = document;

const CLOSED = '"additionalProperties":false';

/** The schema, and those that it refers to. */
function textOf(schema: unknown, seen = new Set<string>()): string {
  const text = JSON.stringify(schema);
  for (const [, name = ''] of text.matchAll(/schemas\/(\w+)"/gu)) seen.add(name);
  return text;
}

it('the schemas of responses, webhook requests and data messages allow fields that later releases add', () => {
  const seen = new Set<string>();
  const operationsOfPaths = Object.values(paths).flatMap((path) => Object.values(path));
  const texts = operationsOfPaths.map(({ responses }) => textOf(responses, seen));
  texts.push(textOf([components.responses, webhooks, document['x-data-messages']?.fromService], seen));
  for (const name of seen) texts.push(textOf(components.schemas[name], seen));
  expect(seen.size).toBeGreaterThan(100);
  for (const name of ['CallEventPayload', 'EndedBatch', 'TranscriptMessage']) expect(seen).toContain(name);
  expect(texts.filter((text) => text.includes(CLOSED))).toEqual([]);
});

it('the schemas of requests do not allow unknown fields', () => {
  for (const name of ['StartCallRequest', 'AgentRequest', 'PatchedAgent', 'QueryCorpusRequest'])
    expect([name, textOf(components.schemas[name]).includes(CLOSED)]).toEqual([name, true]);
});

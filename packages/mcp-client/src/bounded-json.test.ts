import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { boundedJson } from './bounded-json.ts';

/** Splits JSON into chunks of three bytes. */
async function* chunks(json: string): AsyncGenerator<Buffer, void, undefined> {
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += 3) yield await Promise.resolve(bytes.subarray(at, at + 3));
}

const passed = (json: string): Promise<string> => text(boundedJson(chunks(json)));
const list = (items: readonly string[]): string => `[${items.join()}]`;
const empty = (length: number): string[] => Array.from({ length }, () => '{}');

describe('JSON of an MCP server', () => {
  it.each([
    ['many objects', list(empty(4999))],
    ['brackets in strings', list([JSON.stringify('"[{\\'.repeat(6000)), JSON.stringify('\\')])],
    ['deep nesting', `${'['.repeat(64)}${']'.repeat(64)}`],
    ['a string that ends with its line', `id: "\n\ndata: ${list(empty(4998))}\n`],
    ['malformed JSON', ']]]]"'],
  ])('is passed on with %s', async (_title, json) => {
    expect(await passed(json)).toBe(json);
  });

  it.each([
    ['too many objects', list(empty(5000)), 'has more than 5000 objects and lists'],
    ['too many objects after a quote', `id: "\n\ndata: ${list(empty(5000))}\n`, 'has more than 5000'],
    ['excessive nesting', '['.repeat(65), 'is nested more than 64 levels deep'],
  ])('is rejected with %s', async (_title, json, message) => {
    await expect(passed(json)).rejects.toThrow(message);
  });
});

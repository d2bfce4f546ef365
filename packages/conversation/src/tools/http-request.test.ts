import { describe, expect, it } from '@jest/globals';
import { createChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';
import type { CallToolDefinition } from '@calls/api-contract/rest/tool';
import { toolHttpRequest } from './http-request.ts';
import { argumentIssues } from './tool-arguments.ts';

const at = (name: string, location: 'PATH' | 'QUERY' | 'HEADER' | 'BODY') => ({
  name,
  location: `PARAMETER_LOCATION_${location}` as const,
});
const tool: CallToolDefinition = {
  http: { baseUrlPattern: 'https://api.example.com/users/{id}/notes?v=2', httpMethod: 'POST' },
  dynamicParameters: [at('id', 'PATH'), at('tags', 'QUERY'), at('X-Mood', 'HEADER'), at('text', 'BODY')],
  staticParameters: [{ ...at('source', 'BODY'), value: { kind: 'call' } }],
  automaticParameters: [{ ...at('call', 'QUERY'), knownValue: 'KNOWN_PARAM_CALL_ID' }],
};
const noAuth = { headers: {}, queryParams: {} };

describe('toolHttpRequest', () => {
  it('places each value by its parameter location', () => {
    const values = { id: 'a/b c', tags: ['x', 'y & z', 5], 'X-Mood': true, text: 'hé', call: 'c1' };
    expect(toolHttpRequest(tool, values, noAuth)).toEqual({
      method: 'POST',
      url: 'https://api.example.com/users/a%2Fb%20c/notes?v=2&tags=x&tags=y+%26+z&tags=5&call=c1',
      headers: { 'X-Mood': 'true', 'Content-Type': 'application/json' },
      body: '{"text":"hé","source":{"kind":"call"}}',
    });
  });

  it('omits absent values, and the body when none is defined', () => {
    expect(toolHttpRequest(tool, { id: 7 }, noAuth)).toMatchObject({
      url: 'https://api.example.com/users/7/notes?v=2',
      body: '{"source":{"kind":"call"}}',
    });
    const get: CallToolDefinition = { http: { baseUrlPattern: 'http://a.example/', httpMethod: 'GET' } };
    expect(toolHttpRequest(get, { other: 1 }, noAuth)).toEqual({
      method: 'GET',
      url: 'http://a.example/',
      headers: {},
      body: undefined,
    });
    const post: CallToolDefinition = { http: { baseUrlPattern: 'http://a.example/', httpMethod: 'POST' } };
    expect(toolHttpRequest(post, {}, noAuth)).toMatchObject({ headers: {}, body: undefined });
  });

  it('adds authentication that parameters cannot replace', () => {
    const auth = { headers: { 'X-Mood': 'secret' }, queryParams: { tags: 'k' } };
    const request = toolHttpRequest(tool, { id: 1, tags: ['x'], 'X-Mood': 'mine' }, auth);
    expect(request.url).toBe('https://api.example.com/users/1/notes?v=2&tags=k');
    expect(request.headers['X-Mood']).toBe('secret');
  });

  it('escapes JSON in a header, so that a name in the call metadata does not prevent the request', () => {
    const metadata = { name: 'Łukasz 🙂', city: 'Köln' };
    const header = toolHttpRequest(tool, { id: 1, 'X-Mood': metadata }, noAuth).headers['X-Mood'] ?? '';
    expect(header).toMatch(/^[\x20-\x7e]*$/u);
    expect(JSON.parse(header)).toEqual(metadata);
  });

  it.each(['', '.', '..', undefined])('rejects %j as a path parameter', (id) => {
    expect(() => toolHttpRequest(tool, { id }, noAuth)).toThrow(
      'invalid arguments: id must be text that can be part of a path',
    );
  });

  it.each(['a\r\nX-Evil: 1', 'smile 🙂'])('rejects %j as a header value', (mood) => {
    expect(() => toolHttpRequest(tool, { id: 1, 'X-Mood': mood }, noAuth)).toThrow(
      'invalid arguments: X-Mood must be text that an HTTP header can carry',
    );
  });
});

describe('argumentIssues', () => {
  const checks = createChecksOf({
    run: (kind, input) => Promise.resolve(schemaJobs[kind](input as never)) as Promise<never>,
  })('account');
  const issuesOf = (values: Record<string, unknown>) => argumentIssues(checks, parameters, values);
  const parameters = [
    { name: 'size', schema: { type: 'object', properties: { w: { type: 'integer' } } }, required: true },
    { name: 'free' },
  ];

  it('accepts valid arguments', async () => {
    expect(await issuesOf({ size: { w: 1 }, free: [null] })).toEqual([]);
  });

  it('reports missing, unknown and invalid arguments with their paths', async () => {
    expect((await issuesOf({ other: 1 })).map(({ path }) => path)).toEqual(['other', 'size']);
    expect(await issuesOf({ size: { w: 'x' } })).toEqual([{ path: 'size.w', message: 'must be an integer' }]);
  });
});

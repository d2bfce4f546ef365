import { describe, expect, it } from '@jest/globals';
import { httpToolResponse, mcpToolResponse } from './tool-response.ts';

const result = (more: Partial<Parameters<typeof mcpToolResponse>[0]> = {}) =>
  mcpToolResponse({ text: 'packed', isError: false, meta: {}, ...more });

it.each([
  [false, 'the tool responded with HTTP status 405: use POST'],
  [true, 'the tool responded with HTTP status 405 after a redirect: use POST'],
])('httpToolResponse names a redirect (%s) before an error', (isRedirected, message) => {
  const response = { status: 405, headers: {}, body: 'use POST', isRedirected };
  expect(httpToolResponse(response).error?.message).toBe(message);
});

describe('mcpToolResponse', () => {
  it('returns the text of the result, without an effect on the call', () => {
    expect(result()).toEqual({
      result: 'packed',
      responseType: 'tool-response',
      reaction: null,
      updateCallState: null,
      error: null,
      issues: [],
    });
  });

  it('reads effects on the call from metadata fields', () => {
    const meta = {
      'svc/responseType': 'hang-up',
      'svc/agentReaction': 'listens',
      'svc/updateCallState': { order: 17 },
    };
    expect(result({ meta })).toMatchObject({
      responseType: 'hang-up',
      reaction: 'listens',
      updateCallState: { order: 17 },
      issues: [],
    });
  });

  it('reports invalid metadata fields and ignores them', () => {
    const meta = { 'svc/responseType': 'explode', 'svc/agentReaction': 7, 'svc/updateCallState': [1] };
    expect(result({ meta })).toMatchObject({
      responseType: 'tool-response',
      reaction: null,
      updateCallState: null,
      issues: [
        'svc/responseType must be one of tool-response, hang-up, new-stage',
        'svc/agentReaction must be one of speaks, listens, speaks-once',
        'svc/updateCallState must be a JSON object, and must not be nested too deeply',
      ],
    });
  });

  it.each([
    ['the text of the result', 'closed', 'closed'],
    ['a general message when the text is empty', '', 'the tool failed'],
  ])('returns an error with %s', (_title, text, message) => {
    const meta = { 'svc/updateCallState': { order: 17 } };
    expect(result({ isError: true, text, meta })).toMatchObject({
      error: { type: 'implementation-error', message, details: message },
      updateCallState: null,
    });
  });
});

import { afterAll, describe, expect, it } from '@jest/globals';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { exampleIds } from '@calls/api-contract/operations/examples/example-values';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { FEATURES } from '@calls/api-contract/rest/account';
import { ResponseChecker } from '../../support/contract/response-checker.ts';
import { bodyFixtures } from '../../support/contract/fixtures.ts';
import { World } from '../../support/contract/world.ts';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, [...FEATURES]);
const world = new World(account);
const judge = new ResponseChecker((await account.request<OpenApiDocument>('/api/schema/?format=json')).body);
afterAll(() => harness.stop());

/** Expected status if it is not success, because this test lacks what the example requires. */
const EXPECTED: Readonly<Record<string, number>> = {
  // No media-worker runs that could end the call.
  analyzeCall: 422,
  getCallRecording: 404,
  getCallSipLogs: 404,
  getCallStageMessageAudio: 404,
  getCorpusDocument: 404,
  getDeletedCall: 404,
  previewVoice: 400,
};

/** Operations that require a key. The others require a provider signature or have no JSON body. */
const runnable = operations.filter(({ open }) => !open);

/** Replaces ids of the example with ids of existing resources. */
async function withRealIds(value: unknown): Promise<unknown> {
  const text = JSON.stringify(value ?? null);
  return JSON.parse(
    text.includes(exampleIds.agent) ? text.replaceAll(exampleIds.agent, await world.agentId()) : text,
  );
}

async function urlOf(operation: AnyOperation): Promise<string> {
  const query = (await withRealIds(operation.example.query ?? {})) as Record<string, unknown>;
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    [value].flat().join(','),
  ]);
  return `${await world.pathOf(operation)}?${new URLSearchParams(parameters).toString()}`;
}

describe('the examples of the API reference', () => {
  it.each(runnable.map((operation): [string, AnyOperation] => [operation.id, operation]))(
    'of %s can be sent unchanged',
    async (id, operation) => {
      const url = await urlOf(operation);
      const fixture = await bodyFixtures[id]?.(world, url.replace(/\?.*$/u, ''));
      await fixture?.before?.();
      if (operation.path.startsWith('/api/telephony_configs/') && operation.method !== 'POST') {
        const creator = operations.find(({ method, path }) => method === 'POST' && path === operation.path)!;
        await account.post(operation.path, creator.example.body);
      }
      const body = operation.body && (await withRealIds(operation.example.body));
      const response = await account.send(operation.method, url, body);
      const expected = EXPECTED[id] ?? fixture?.answered?.status ?? operation.status;
      expect([response.status, response.body]).toEqual([expected, response.body]);
      expect(judge.issue(operation, response.status, response.body)).toBeNull();
    },
  );

  it('cover every operation that requires an API key', () => {
    expect(runnable.length).toBe(operations.length - 2);
  });
});

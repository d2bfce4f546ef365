import { afterAll, describe, expect, it } from '@jest/globals';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { adminOperations } from '@calls/api-contract/operations/admin.operations';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { ApiError } from '@calls/api-contract/rest/common';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import fc from 'fast-check';
import { ResponseChecker } from '../../support/contract/response-checker.ts';
import { arbitraryOf } from '../../support/contract/arbitrary-body.ts';
import { maliciousQueries } from '../../support/contract/malicious-queries.ts';
import { nodeOf, type SchemaNode } from '../../support/contract/json-schema.ts';
import { queryNamesOf, rowsOf } from '../../support/contract/operations.ts';
import { mutationsOf } from '../../support/contract/mutations.ts';
import { ADMIN_TOKEN, ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const AT_ONCE = 10;
const GENERATED_PER_OPERATION = IS_LONG_FORM ? 1000 : 30;
const SEED = 20_261_123;

interface Answered {
  status: number;
  body: ApiError & Record<string, unknown>;
}

const harness = await ControlPlaneHarness.start();
const described = await fetch(`${harness.adminUrl}/admin/api/schema`);
const judge = new ResponseChecker((await described.json()) as OpenApiDocument);
afterAll(() => harness.stop());

const account = {
  name: 'Seaview Hotels',
  plan: 'PRO',
  features: ['sip'],
  limits: { concurrentCalls: 5 },
  billingEmail: 'bills@example.com',
  paymentMethod: 'invoice',
};

/** A body with every field, of each operation that has a body. */
const COMPLETE: Readonly<Record<string, Record<string, unknown>>> = {
  createAccount: account,
  updateAccount: account,
  suspendAccount: { reason: 'unpaid' },
  inviteUser: { keyName: 'first key', expiresInSeconds: 600 },
  createApiKey: { name: 'production', role: 'member', expiryDate: '2999-01-01T00:00:00Z' },
  rotateApiKey: { graceSeconds: 60 },
};

const withBody = adminOperations.filter(({ body }) => body !== undefined);

async function request(method: string, path: string, body?: unknown): Promise<Answered> {
  const response = await fetch(`${harness.adminUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Answered['body'] };
}

/** Sends a request and checks that the description of the API defines the response. */
async function send(operation: AnyOperation, path: string, body?: unknown): Promise<Answered> {
  const response = await request(operation.method, path, body);
  const issue = judge.issue(operation, response.status, response.body);
  expect({ path, ...response, issue }).toEqual({ path, ...response, issue: null });
  return response;
}

/** The path of the operation, with a new account, and a new invitation to it or key of it. */
async function pathOf({ id, path }: AnyOperation): Promise<string> {
  if (!path.includes('{account_id}')) return path;
  const { body: made } = await request('POST', '/admin/api/accounts', { name: 'made' });
  const accountId = String(made['accountId']);
  const filled = path.replace('{account_id}', accountId);
  if (id === 'withdrawInvitation') await request('POST', filled, {});
  if (!path.includes('{api_key_prefix}')) return filled;
  const { body: key } = await request('POST', `/admin/api/accounts/${accountId}/api_keys`, { name: 'made' });
  return filled.replace('{api_key_prefix}', String(key['prefix']));
}

describe('requests to the admin API', () => {
  it.each(rowsOf(adminOperations))('%s returns a response that matches its schema', async (id, operation) => {
    const { status, body } = await send(operation, await pathOf(operation), COMPLETE[id]);
    expect([status, body]).toEqual([operation.status, body]);
  });

  it.each(rowsOf(withBody))(
    '%s rejects a body with one schema violation and logs nothing',
    async (id, operation) => {
      const schema: SchemaNode = nodeOf(operation.body!);
      const complete = COMPLETE[id]!;
      expect(Object.keys(complete).sort()).toEqual(
        Object.entries(schema.properties ?? {})
          .flatMap(([name, { readOnly }]) => (readOnly ? [] : [name]))
          .sort(),
      );
      const path = await pathOf(operation);
      const entries = async () => (await request('GET', '/admin/api/audit_log')).body['total'];
      const before = await entries();
      const passed: string[] = [];
      for (const { path: at, what, body } of mutationsOf(schema, complete)) {
        const response = await send(operation, path, body);
        const reported = response.status === 400 ? (response.body.errors ?? []) : [];
        if (!reported.some((issue) => at.startsWith(issue.path) || issue.path.startsWith(at)))
          passed.push(`${at}: ${what} → ${response.status}`);
      }
      expect(passed).toEqual([]);
      expect(await entries()).toBe(before);
    },
  );

  it.each(rowsOf(withBody))('%s never returns a server error for generated bodies', async (_, operation) => {
    const path = await pathOf(operation);
    const bodies = fc.array(arbitraryOf(nodeOf(operation.body!)), {
      minLength: AT_ONCE,
      maxLength: AT_ONCE,
    });
    await fc.assert(
      fc.asyncProperty(bodies, async (several) => {
        await Promise.all(several.map((body) => send(operation, path, body ?? null)));
      }),
      { seed: SEED, numRuns: Math.ceil(GENERATED_PER_OPERATION / AT_ONCE) },
    );
  });

  it.each(rowsOf(adminOperations.filter((operation) => queryNamesOf(operation).length > 0)))(
    '%s returns a documented response for malicious query parameters',
    async (_, operation) => {
      const path = await pathOf(operation);
      const queries = queryNamesOf(operation).flatMap(maliciousQueries);
      for (let from = 0; from < queries.length; from += AT_ONCE) {
        const some = queries.slice(from, from + AT_ONCE);
        await Promise.all(some.map((query) => send(operation, `${path}?${query}`)));
      }
    },
  );
});

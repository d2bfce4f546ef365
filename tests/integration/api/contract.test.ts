import { afterAll, describe, expect, it } from '@jest/globals';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { ApiError } from '@calls/api-contract/rest/common';
import { FEATURES } from '@calls/api-contract/rest/account';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import fc from 'fast-check';
import { ResponseChecker } from '../../support/contract/response-checker.ts';
import { arbitraryOf } from '../../support/contract/arbitrary-body.ts';
import { bodyFixtures, type BodyFixture } from '../../support/contract/fixtures.ts';
import { nodeOf, type SchemaNode } from '../../support/contract/json-schema.ts';
import { rowsOf } from '../../support/contract/operations.ts';
import { mutationsOf } from '../../support/contract/mutations.ts';
import { inSnakeCase, withNulls } from '../../support/contract/spellings.ts';
import { World } from '../../support/contract/world.ts';
import { ControlPlaneHarness, type ApiResponse } from '../../support/control-plane-harness.ts';

/** The limit covers all operations together. */
const GENERATED_REQUESTS = Number(process.env['CONTRACT_REQUESTS'] ?? (IS_LONG_FORM ? 20_000 : 400));

const AT_ONCE = 10;
/** Seed of the generated bodies; set CONTRACT_SEED to generate different ones. */
const SEED = Number(process.env['CONTRACT_SEED'] ?? 20_261_121);

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, [...FEATURES]);
const world = new World(account);
const document = await account.request<OpenApiDocument>('/api/schema/?format=json');
const judge = new ResponseChecker(document.body);
afterAll(() => harness.stop());

const withBody = operations.filter(({ body, open }) => body !== undefined && !open);
const withParameters = operations.filter(({ path, open }) => path.includes('{') && !open);

/** Sends a request and checks that the API description defines the response. */
async function send(operation: AnyOperation, path: string, body?: unknown): Promise<ApiResponse<ApiError>> {
  const response = await account.send(operation.method, path, body);
  expect({
    status: response.status,
    body: response.body,
    issue: judge.issue(operation, response.status, response.body),
  }).toEqual({ status: response.status, body: response.body, issue: null });
  return response;
}

async function bodiesOf(id: string, path: string): Promise<BodyFixture> {
  const fixture = await bodyFixtures[id]?.(world, path);
  if (!fixture) throw new Error(`bodyFixtures has no body of ${id}`);
  return fixture;
}

/** Tables that grow in the background when unanswered calls end. */
const OF_ENDING_CALLS = ['outbox', 'call_event_log', 'call_events', 'webhook_deliveries'];

/** Number of rows of every other table. */
async function rowCounts(): Promise<Record<string, unknown>[]> {
  const { rows: tables } = await harness.query(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all ($1) order by 1`,
    OF_ENDING_CALLS,
  );
  const counts = tables.map(
    ({ name }) => `select '${String(name)}' as name, count(*) from "${String(name)}"`,
  );
  return (await harness.query(counts.join(' union all '))).rows;
}

describe('valid request bodies', () => {
  it.each(rowsOf(withBody))(
    '%s accepts the smallest body and bodies with every field',
    async (id, operation) => {
      const path = await world.pathOf(operation);
      const fixture = await bodiesOf(id, path);
      const expected = fixture.answered?.status ?? operation.status;
      for (const body of [fixture.minimal, ...fixture.maximal]) {
        await fixture.before?.();
        const response = await send(operation, path, body);
        expect({ body: response.body, status: response.status }).toEqual({
          body: response.body,
          status: expected,
        });
        if (fixture.answered) expect(response.body.code).toBe(fixture.answered.code);
      }
      const given = new Set(fixture.maximal.flatMap((body) => Object.keys(body as object)));
      expect(writableFields(operation).filter((field) => !given.has(field))).toEqual([]);
    },
  );
});

describe('alternative spellings of request bodies', () => {
  it.each(rowsOf(withBody))(
    '%s accepts null for unset fields and names in snake_case',
    async (_id, operation) => {
      const schema = nodeOf(operation.body!);
      for (const form of [withNulls, inSnakeCase]) {
        const path = await world.pathOf(operation);
        const fixture = await bodiesOf(operation.id, path);
        const expected = fixture.answered?.status ?? operation.status;
        for (const body of [fixture.minimal, ...fixture.maximal]) {
          await fixture.before?.();
          const response = await send(operation, path, form(schema, body));
          expect({ body: response.body, status: response.status }).toEqual({
            body: response.body,
            status: expected,
          });
        }
      }
    },
  );

  it.each(rowsOf(withBody))('%s rejects a field that is given in both spellings', async (_id, operation) => {
    const path = await world.pathOf(operation);
    const { maximal } = await bodiesOf(operation.id, path);
    for (const body of maximal) {
      const both = { ...(inSnakeCase(nodeOf(operation.body!), body) as object), ...(body as object) };
      const doubled = Object.keys(both).length - Object.keys(body as object).length;
      if (doubled === 0) continue;
      const { status, body: error } = await send(operation, path, both);
      const about = (error.errors ?? []).filter(({ message }) => message.startsWith('is given twice'));
      expect([status, about.length]).toEqual([400, doubled]);
    }
  });
});

describe('invalid request bodies', () => {
  it.each(rowsOf(withBody))(
    '%s rejects a body with one schema violation and writes nothing',
    async (id, operation) => {
      const path = await world.pathOf(operation);
      const fixture = await bodiesOf(id, path);
      await fixture.before?.();
      const before = await rowCounts();
      const passed: string[] = [];
      for (const valid of fixture.maximal) {
        for (const { path: at, what, body } of mutationsOf(nodeOf(operation.body!), valid)) {
          const response = await send(operation, path, body);
          const paths =
            response.status === 400 ? (response.body.errors ?? []).map((issue) => issue.path) : [];
          if (!paths.some((reported) => isAt(reported, at))) {
            passed.push(`${at}: ${what} → ${response.status} ${JSON.stringify(response.body).slice(0, 300)}`);
          }
        }
      }
      expect(passed).toEqual([]);
      expect(await rowCounts()).toEqual(before);
    },
  );
});

describe('responses of read operations', () => {
  const readers = operations.filter(
    ({ method, response: answer, open }) => method === 'GET' && answer && !open,
  );
  /** Operations on resources that these tests do not create. */
  const absent = ['getCorpusDocument', 'getDeletedCall'];

  it.each(rowsOf(readers))('%s returns a response that matches its schema', async (id, operation) => {
    const path = await world.pathOf(operation);
    const creator = operations.find((each) => each.method === 'POST' && each.path === operation.path);
    if (creator && operation.errorStatuses?.includes(404)) {
      await account.post(path, (await bodiesOf(creator.id, path)).minimal);
    }
    const { status } = await send(operation, path);
    expect(status).toBe(absent.includes(id) ? 404 : 200);
  });

  it('have no fields that the API description lacks', async () => {
    const operation = operations.find(({ id }) => id === 'getAccount')!;
    const { body } = await send(operation, operation.path);
    expect(judge.issue(operation, 200, { ...body, extra: 1 })).toContain('additional properties');
  });
});

describe('generated request bodies', () => {
  it.each(rowsOf(withBody))('%s never responds with a server error', async (_id, operation) => {
    const path = await world.pathOf(operation);
    const bodies = fc.array(arbitraryOf(nodeOf(operation.body!)), {
      minLength: AT_ONCE,
      maxLength: AT_ONCE,
    });
    await fc.assert(
      fc.asyncProperty(bodies, async (several) => {
        await Promise.all(several.map((body) => send(operation, path, body ?? null)));
      }),
      { seed: SEED, numRuns: Math.ceil(GENERATED_REQUESTS / withBody.length / AT_ONCE) },
    );
  });
});

describe('requests with a key of the role viewer', () => {
  const writers = operations.filter(({ method, open }) => method !== 'GET' && !open);

  it.each(rowsOf(writers))('%s responds with a documented 403', async (_id, operation) => {
    const { body: viewer } = await account.post<{ secret: string }>('/api/api_keys', {
      name: 'viewer',
      role: 'viewer',
    });
    const { status, body } = await account.request(await world.pathOf(operation), {
      method: operation.method,
      headers: { 'X-API-Key': viewer.secret },
    });
    expect([status, judge.issue(operation, status, body)]).toEqual([403, null]);
  });
});

describe('resources of another account', () => {
  it.each(rowsOf(withParameters))('%s responds with 404', async (id, operation) => {
    const path = await world.pathOf(operation);
    const stranger = await harness.account('SCALE', null, [...FEATURES]);
    const body = operation.body && (await bodiesOf(id, path)).minimal;
    const response = await stranger.send(operation.method, path, body);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });
});

function writableFields(operation: AnyOperation): string[] {
  const { properties = {} }: SchemaNode = nodeOf(operation.body!);
  return Object.entries(properties)
    .filter(([, property]) => !property.readOnly)
    .map(([name]) => name);
}

/** An issue may be reported for the field itself or for an object that contains it. */
function isAt(reported: string, at: string): boolean {
  return reported === at || at.startsWith(`${reported}.`) || reported.startsWith(`${at}.`);
}

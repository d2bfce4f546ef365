import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operations, type AnyOperation, type ApiError, type OpenApiDocument } from '@calls/api-contract';
import fc from 'fast-check';
import { AnswerJudge } from '../../support/contract/answers.ts';
import { arbitraryOf } from '../../support/contract/arbitrary-body.ts';
import { bodyFixtures } from '../../support/contract/fixtures.ts';
import { nodeOf, type SchemaNode } from '../../support/contract/json-schema.ts';
import { mutationsOf } from '../../support/contract/mutations.ts';
import { World } from '../../support/contract/world.ts';
import { ControlPlaneHarness, type Answer, type TestAccount } from '../../support/control-plane-harness.ts';

/** Of all operations together. */
const GENERATED_REQUESTS = Number(process.env['CONTRACT_REQUESTS'] ?? 20_000);

let harness: ControlPlaneHarness;
let account: TestAccount;
let world: World;
let judge: AnswerJudge;

beforeAll(async () => {
  harness = await ControlPlaneHarness.start();
  account = await harness.account();
  world = new World(account);
  const document = await account.request<OpenApiDocument>('/api/schema/?format=json');
  judge = new AnswerJudge(document.body);
}, 60_000);
afterAll(() => harness.stop());

const withBody = operations.filter(({ body }) => body !== undefined);
const withParameters = operations.filter(({ path, open }) => path.includes('{') && !open);
const titled = (list: readonly AnyOperation[]): [string, AnyOperation][] =>
  list.map((operation) => [operation.id, operation]);

/** Sends, and sees to it that the answer is one that the description has. */
async function send(operation: AnyOperation, path: string, body?: unknown): Promise<Answer<ApiError>> {
  const answer = await account.send(operation.method, path, body);
  expect({
    status: answer.status,
    body: answer.body,
    fault: judge.fault(operation, answer.status, answer.body),
  }).toEqual({ status: answer.status, body: answer.body, fault: null });
  return answer;
}

/** How many rows each table has. */
async function rowCounts(): Promise<Record<string, unknown>[]> {
  const { rows: tables } = await harness.query(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('outbox') order by 1`,
  );
  const counts = tables.map(
    ({ name }) => `select '${String(name)}' as name, count(*) from "${String(name)}"`,
  );
  return (await harness.query(counts.join(' union all '))).rows;
}

describe('bodies that an operation takes', () => {
  it.each(titled(withBody))('%s: the smallest and those with every field', async (id, operation) => {
    const fixture = bodyFixtures[id]?.(world);
    if (!fixture) throw new Error(`bodyFixtures has no body of ${id}`);
    for (const body of [fixture.minimal, ...fixture.maximal]) {
      const answer = await send(operation, await world.pathOf(operation), body);
      expect({ body: answer.body, status: answer.status }).toEqual({
        body: answer.body,
        status: operation.status,
      });
    }
    const given = new Set(fixture.maximal.flatMap((body) => Object.keys(body as object)));
    expect(writableFields(operation).filter((field) => !given.has(field))).toEqual([]);
  });
});

describe('bodies that an operation refuses', () => {
  it.each(titled(withBody))(
    '%s: whatever breaks the schema in one place, and writes nothing',
    async (id, operation) => {
      const fixture = bodyFixtures[id]!(world);
      const path = await world.pathOf(operation);
      const before = await rowCounts();
      const passed: string[] = [];
      for (const valid of fixture.maximal) {
        for (const { path: at, what, body } of mutationsOf(nodeOf(operation.body!), valid)) {
          const answer = await send(operation, path, body);
          const paths = answer.status === 400 ? (answer.body.errors ?? []).map((fault) => fault.path) : [];
          if (!paths.some((told) => isAt(told, at))) {
            passed.push(`${at}: ${what} → ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
          }
        }
      }
      expect(passed).toEqual([]);
      expect(await rowCounts()).toEqual(before);
    },
    120_000,
  );
});

describe('generated bodies', () => {
  it.each(titled(withBody))(
    '%s: never a fault of ours',
    async (_id, operation) => {
      const path = await world.pathOf(operation);
      const runs = Math.ceil(GENERATED_REQUESTS / withBody.length);
      await fc.assert(
        fc.asyncProperty(arbitraryOf(nodeOf(operation.body!)), async (body) => {
          const { status } = await send(operation, path, body ?? null);
          expect(status).not.toBe(500);
        }),
        { numRuns: runs },
      );
    },
    300_000,
  );
});

describe('what belongs to another account', () => {
  it.each(titled(withParameters))('%s: is not there', async (id, operation) => {
    const path = await world.pathOf(operation);
    const stranger = await harness.account();
    const body = operation.body && bodyFixtures[id]?.(world).minimal;
    const answer = await stranger.send(operation.method, path, body);
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });
});

function writableFields(operation: AnyOperation): string[] {
  const { properties = {} }: SchemaNode = nodeOf(operation.body!);
  return Object.entries(properties)
    .filter(([, property]) => !property.readOnly)
    .map(([name]) => name);
}

/** A fault may be told at the place itself, or at what holds it. */
function isAt(told: string, at: string): boolean {
  return told === at || at.startsWith(`${told}.`) || told.startsWith(`${at}.`);
}

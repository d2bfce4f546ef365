import { afterAll, describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError } from '@calls/api-contract/rest/common';
import { operations } from '@calls/api-contract/operations';
import { newId } from '@calls/foundation/ids';
import { createCallTokens, type CallTokenClaims } from '@calls/secrets/join-tokens/call-tokens';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  JOIN_TOKEN_SECRETS,
  type ApiResponse,
  type TestRequest,
} from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';
import { LIFTED_LIMITS } from '../../support/lifted-limits.ts';

const PER_CALL = 60;

const planLimits = {
  ...LIFTED_LIMITS,
  PRO: { ...LIFTED_LIMITS.PRO, apiRequestsPerSecondPerKey: PER_CALL },
};
const harness = await ControlPlaneHarness.start({ planLimits });
const account = await harness.account();
const call = await account.createCall();
afterAll(() => harness.stop());

const tokens = createCallTokens(JOIN_TOKEN_SECRETS);
const READ = ['call.read'];

function tokenOf(of: Call, changed: Partial<CallTokenClaims> = {}): string {
  const expiresAtMs = Date.now() + 60_000;
  return tokens.issue({
    accountId: account.accountId,
    callId: of.callId,
    scopes: READ,
    expiresAtMs,
    ...changed,
  });
}

async function ask<T = ApiError>(
  token: string,
  path: string,
  init: TestRequest = {},
): Promise<ApiResponse<T>> {
  const response = await fetch(`${harness.url}${path}`, {
    ...init,
    headers: { 'X-Svc-Call-Token': token, 'Content-Type': 'application/json', ...init.headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? null : JSON.parse(text)) as T,
  };
}

const pathOf = ({ callId }: Call, rest = ''): string => `/api/calls/${callId}${rest}`;

async function stageOf({ callId }: Call): Promise<string> {
  const { results } = await account.list<{ callStageId: string }>(`/api/calls/${callId}/stages`);
  return results[0]?.callStageId ?? '';
}

describe('a call token', () => {
  it('can read its call and the contents of the call', async () => {
    const token = tokenOf(call);
    const response = await ask<Call>(token, pathOf(call));
    expect(response.status).toBe(200);
    expect(response.body.callId).toBe(call.callId);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const stage = `/stages/${await stageOf(call)}`;
    for (const rest of [
      '/messages',
      '/events',
      '/stages',
      '/tools',
      stage,
      `${stage}/messages`,
      `${stage}/tools`,
    ]) {
      expect([rest, (await ask(token, pathOf(call, rest))).status]).toEqual([rest, 200]);
    }
    expect((await ask(token, pathOf(call).replace(call.callId, call.callId.toUpperCase()))).status).toBe(200);
  });

  it('cannot read credentials of other resources', async () => {
    const secret = 'Bearer of the customer';
    const rich = await account.createCall({
      dataConnection: { websocketUrl: 'wss://data.example.com', headers: { Authorization: secret } },
      externalVoice: {
        generic: { url: 'https://voice.example.com', headers: { 'X-Key': secret }, body: { text: '{text}' } },
      },
    });
    const [byKey, byToken] = [
      await account.call(rich.callId),
      (await ask<Call>(tokenOf(rich), pathOf(rich))).body,
    ];
    expect(byToken).toEqual({ ...byKey, joinUrl: null });
    expect(JSON.stringify(byToken)).not.toContain(secret);
    expect(JSON.stringify((await ask(tokenOf(rich), pathOf(rich, '/stages'))).body)).not.toContain(secret);
  });

  it('can send messages into its call only with the message scope', async () => {
    const sent: unknown[] = [];
    const worker = harness.bus.commands.serve(call.callId, (command) => {
      sent.push(command);
      return { outcome: 'accepted' };
    });
    const init = { method: 'POST', body: JSON.stringify({ type: 'user_text_message', text: 'Paid.' }) };
    const path = pathOf(call, '/send_data_message');
    expect(
      (await ask(tokenOf(call, { scopes: ['call.send_data_message', 'of.theirs'] }), path, init)).status,
    ).toBe(204);
    expect(sent).toHaveLength(1);
    const refused = await ask(tokenOf(call), path, init);
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
    expect(sent).toHaveLength(1);
    worker[Symbol.dispose]();
  });

  it('requires the scope and ignores unknown scopes', async () => {
    for (const scopes of [[], ['call'], ['call.read '], ['orders.write']]) {
      const { status, body } = await ask(tokenOf(call, { scopes }), pathOf(call));
      expect([status, body.code, body.detail]).toEqual([
        403,
        'missing_scope',
        'The call token does not have the scope call.read.',
      ]);
    }
  });

  it('cannot access any other call of any account', async () => {
    const other = await account.createCall();
    const foreign = await (await harness.account()).createCall();
    const answers = [other.callId, foreign.callId, newId()].map(
      async (callId) => (await ask(tokenOf(call), `/api/calls/${callId}`)).body,
    );
    const [first, ...rest] = await Promise.all(answers);
    expect(first).toMatchObject({ code: 'not_found' });
    for (const body of rest) expect(body).toEqual(first);
    expect((await ask(tokenOf(foreign), pathOf(foreign))).status).toBe(401);
  });

  it('cannot access operations that do not concern its call', async () => {
    const all = { scopes: [...READ, 'call.send_data_message'] };
    const token = tokenOf(call, all);
    const stageId = await stageOf(call);
    const closed = operations.filter(({ callScope, open }) => !callScope && !open);
    expect(closed.length).toBeGreaterThan(60);
    for (const { method, path } of closed) {
      const url = path
        .replace('{call_id}', call.callId)
        .replace('{call_stage_id}', stageId)
        .replaceAll(/\{\w+\}/gu, newId());
      const { status, body } = await ask(token, url, { method, ...(method !== 'GET' && { body: '{}' }) });
      expect([method, path, status, body.code]).toEqual([method, path, 403, 'api_key_required']);
    }
    expect((await ask<Call>(tokenOf(call), pathOf(call))).status).toBe(200);
  });

  it('is rejected when forged, modified, expired or issued for another purpose', async () => {
    const token = tokenOf(call);
    const [claims = '', signature = ''] = token.split('.');
    const more = Buffer.from(JSON.stringify({ ...tokens.verify(token), scopes: ['call.send_data_message'] }));
    const join = await createJoinTokens(JOIN_TOKEN_SECRETS).sign({
      callId: call.callId,
      expiresAtMs: Date.now() + 60_000,
    });
    const bad = [
      'x',
      claims,
      `${token}x`,
      `${more.toString('base64url')}.${signature}`,
      join,
      tokenOf(call, { expiresAtMs: Date.now() - 1 }),
      tokenOf(call, { accountId: newId() }),
      createCallTokens(['another secret of enough characters']).issue({
        accountId: account.accountId,
        callId: call.callId,
        scopes: READ,
        expiresAtMs: Date.now() + 60_000,
      }),
    ];
    for (const text of bad) {
      const { status, body } = await ask(text, pathOf(call));
      expect([status, body]).toEqual([
        401,
        { code: 'unauthorized', detail: 'The call token is not valid, or its call has ended.' },
      ]);
    }
  });

  it('is ignored when the request has an API key', async () => {
    const headers = (key: string) => ({ headers: { 'X-API-Key': key } });
    expect((await ask(tokenOf(call), '/api/calls', headers(account.key))).status).toBe(200);
    expect((await ask(tokenOf(call), pathOf(call), headers('x'))).status).toBe(401);
  });

  it('is not accepted in cross-origin requests of web pages', async () => {
    const preflight = await fetch(`${harness.url}${pathOf(call)}`, {
      method: 'OPTIONS',
      headers: {
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'x-svc-call-token',
      },
    });
    expect(preflight.headers.get('access-control-allow-headers')).not.toMatch(/call-token/iu);
  });

  it('is rejected after the call has ended or was deleted', async () => {
    const over = await account.createCall();
    const token = tokenOf(over);
    expect((await ask(token, pathOf(over))).status).toBe(200);
    const ended: CallLogEntryBody = endedEntry({ joinedAtMs: Date.now() - 1000, recording: null });
    await harness.bus.callLogs.append(harness.eventsOf(over, account.accountId)(1, ended));
    await eventually(async () => expect((await ask(token, pathOf(over))).status).toBe(401));
    expect((await account.request(pathOf(over))).status).toBe(200);

    await account.request(pathOf(over), { method: 'DELETE' });
    expect((await ask(token, pathOf(over))).status).toBe(401);
  });

  it('has the rate limit of a key, counted per call', async () => {
    const pro = await harness.account('PRO');
    const [one, two] = [await pro.createCall(), await pro.createCall()];
    const of = { accountId: pro.accountId };
    const refused = await eventually(async () => {
      const responses = await Promise.all(
        Array.from({ length: 2 * PER_CALL }, () => ask(tokenOf(one, of), pathOf(one))),
      );
      const late = responses.find(({ status }) => status === 429);
      if (!late) throw new Error('none was refused');
      return late;
    });
    expect(refused.body).toMatchObject({
      code: 'api_rate',
      detail: expect.stringContaining('requests per second of this call token is reached'),
    });
    expect((await ask(tokenOf(two, of), pathOf(two))).status).toBe(200);
  });
});

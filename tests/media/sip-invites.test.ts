import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody, SipFacts } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import {
  SIP_CALLER_REQUEST,
  SIP_INVITE_REQUEST,
  type SipInviteReplyMessage,
  type SipInviteRequestMessage,
} from '@calls/api-contract/bus/sip-invites';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { SipConfig } from '@calls/api-contract/rest/sip';
import type { UsageResponse } from '@calls/api-contract/rest/usage';
import { createCallSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  JOIN_TOKEN_SECRETS,
  type TestAccount,
} from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';
import { TelephonyRestApi } from '../support/telephony-rest-api.ts';
import { isSignedWith } from '../support/webhook-receiver.ts';

const seal = createCallSeal(JOIN_TOKEN_SECRETS);
const SECRETS = ['a secret of sixteen', 'another one of these'];

const harness = await ControlPlaneHarness.start();
/** The customer server of `fallbackHandler`. */
const handler = await TelephonyRestApi.start();
await harness.addReplica();
const sipAccount = (plan: 'SCALE' | 'PAYGO' = 'SCALE'): Promise<TestAccount> =>
  harness.account(plan, null, ['sip', 'retentionPolicy']);
const account = await sipAccount();
const agentId = await agentOf(account, { systemPrompt: 'You answer the phone.' });
afterAll(async () => {
  await harness.stop();
  await handler[Symbol.asyncDispose]();
});
beforeEach(() => {
  handler.requests.length = 0;
  handler.answers.length = 0;
});

async function agentOf(owner: TestAccount, callTemplate: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await owner.post<Agent>('/api/agents', { name: `A ${newId()}`, callTemplate });
  expect(status).toBe(201);
  return body.agentId;
}

async function configure(change: Partial<SipConfig>, by = account): Promise<void> {
  const whole = {
    allowedCidrRanges: ['192.0.2.0/24'],
    allowAllAgents: false,
    allowedAgents: [],
    fallbackHandler: null,
    ...change,
  };
  expect((await by.send('PATCH', '/api/sip', whole)).status).toBe(200);
}

function invite(
  user: string,
  more: Partial<SipInviteRequestMessage> = {},
  of = account,
): SipInviteRequestMessage {
  const domain = `${of.accountId}.sip.test`;
  return {
    callId: newId(),
    domain,
    to: { uri: `sip:${user}@${domain}`, user, displayName: '' },
    from: { uri: 'sip:+4930123456@trunk.test', user: '+4930123456', displayName: 'Ada' },
    sourceAddress: '192.0.2.7',
    headers: { 'X-Queue': 'sales', 'User-Agent': 'a trunk' },
    ...more,
  };
}

function ask(request: SipInviteRequestMessage): Promise<SipInviteReplyMessage> {
  return harness.bus.requests.send(SIP_INVITE_REQUEST, request, new AbortController().signal);
}

const taken = async (request: SipInviteRequestMessage): Promise<CreatedCall> => {
  const answer = await ask(request);
  if (answer.kind === 'reject') throw new Error(`rejected with ${answer.status} ${answer.reason}`);
  return seal.open(answer.created);
};
const refused = async (request: SipInviteRequestMessage): Promise<number> => {
  const answer = await ask(request);
  return answer.kind === 'reject' ? answer.status : 0;
};
const callsOf = async (owner: TestAccount): Promise<number> => (await owner.list('/api/calls')).total;

describe('the address of a SIP caller', () => {
  it('is checked against the allowed addresses of the account before the call is created', async () => {
    await configure({ allowedAgents: [{ agentId }] });
    const before = await callsOf(account);
    const verdict = (more: Partial<SipInviteRequestMessage>) => {
      const { domain, to, sourceAddress } = invite(`agent_${agentId}`, more);
      const request = { domain, to, sourceAddress };
      return harness.bus.requests.send(SIP_CALLER_REQUEST, request, new AbortController().signal);
    };
    expect(await verdict({})).toEqual({ kind: 'allowed' });
    expect(await verdict({ sourceAddress: '::ffff:192.0.2.7' })).toEqual({ kind: 'allowed' });
    expect(await verdict({ sourceAddress: '198.51.100.1' })).toMatchObject({ kind: 'reject', status: 403 });
    const elsewhere = { uri: 'sip:a@elsewhere.test', user: 'a', displayName: '' };
    const unknown = await verdict({ domain: 'elsewhere.test', to: elsewhere });
    expect(unknown).toMatchObject({ kind: 'reject', status: 404 });
    expect(await callsOf(account)).toBe(before);
  });
});

describe('an INVITE for an agent', () => {
  it('creates a call that is assigned only to the requesting worker', async () => {
    await configure({ allowedAgents: [{ agentId }] });
    const request = invite(`agent_${agentId}`);
    const { spec, admissionClass } = await taken(request);
    expect([spec.callId, spec.accountId, admissionClass]).toEqual([
      request.callId,
      account.accountId,
      'standard',
    ]);
    expect(spec.firstStage.systemPrompt).toBe('You answer the phone.');
    expect(spec.medium).toEqual({
      kind: 'sip',
      direction: 'incoming',
      to: request.to.uri,
      from: request.from.uri,
      username: null,
      password: null,
      dtmf: { text: '{digits}', urgency: 'soon' },
    });
    const { to, from, headers } = request;
    expect(await account.call(spec.callId)).toMatchObject({
      agentId,
      joinUrl: null,
      medium: { sip: { incoming: {} } },
      requestContext: { sip: { to, from, headers } },
      sipDetails: { billedDuration: null, terminationReason: null },
    });
    // Caller and callee are encrypted on the bus.
    const answer = JSON.stringify(await ask(invite(agentId)));
    expect(answer).toContain('sealed:');
    expect(answer).not.toContain('+4930123456');
    expect(await harness.bus.createdCalls.take('standard', 300, new AbortController().signal)).toBeNull();
    const { rows } = await harness.query("select * from outbox where topic = 'created_call'");
    expect(rows).toEqual([]);
  });

  it('creates one call when workers repeat the request', async () => {
    await configure({ allowAllAgents: true });
    const before = await callsOf(account);
    const request = invite(agentId);
    const answers = await Promise.all([ask(request), ask(request), ask(request)]);
    expect(answers.filter(({ kind }) => kind === 'call')).toHaveLength(1);
    expect(await refused(request)).toBe(500);
    // Two different concurrent INVITEs are two calls.
    const both = await Promise.all([taken(invite(agentId)), taken(invite(agentId))]);
    expect(new Set(both.map(({ spec }) => spec.callId)).size).toBe(2);
    expect(await callsOf(account)).toBe(before + 3);
  });

  it('selects the agent by the called user', async () => {
    const [byPattern, another] = [await agentOf(account), await agentOf(account)];
    const chosen = async (user: string): Promise<string | number> => {
      const answer = await ask(invite(user));
      if (answer.kind === 'reject') return answer.status;
      return (await account.call(answer.created.spec.callId)).agentId ?? 'none';
    };
    await configure({
      allowedAgents: [{ agentId: byPattern, toUserPattern: '^\\+49[0-9]+$' }, { agentId }],
    });
    expect(await chosen('+4930111')).toBe(byPattern);
    expect(await chosen(`AGENT_${agentId.toUpperCase()}`)).toBe(agentId);
    expect(await chosen(agentId)).toBe(agentId);
    expect(await chosen(byPattern)).toBe(404);
    expect(await chosen(another)).toBe(404);
    expect(await chosen('+1555')).toBe(404);
    expect(await chosen('')).toBe(404);
    await configure({ allowAllAgents: true });
    expect(await chosen(another)).toBe(another);
    expect(await chosen(`agent_${newId()}`)).toBe(404);
    const stranger = await agentOf(await sipAccount());
    expect(await chosen(stranger)).toBe(404);
  });

  it('selects the account by the domain of the Request-URI or of To', async () => {
    await configure({ allowAllAgents: true });
    const { domain } = invite(agentId);
    expect(await refused(invite(agentId, { domain: '203.0.113.1' }))).toBe(0);
    expect(await refused(invite(agentId, { domain: domain.toUpperCase() }))).toBe(0);
    const to = { uri: `sip:${agentId}@203.0.113.1:5060`, user: agentId, displayName: '' };
    expect(await refused(invite(agentId, { to }))).toBe(0);
    for (const elsewhere of ['203.0.113.1', `${newId()}.sip.test`, 'x.sip.test', `x.${domain}`, '']) {
      expect(await refused(invite(agentId, { domain: elsewhere, to }))).toBe(404);
    }
  });

  it.each([
    ['192.0.2.255', 0],
    ['::ffff:192.0.2.1', 0],
    ['192.0.3.0', 403],
    ['2001:db8::1', 403],
    ['', 403],
  ])('from %s is rejected with status %i (0: accepted)', async (sourceAddress, status) => {
    await configure({ allowAllAgents: true });
    expect(await refused(invite(agentId, { sourceAddress }))).toBe(status);
  });

  it('is rejected when no callers are allowed or the account lacks the feature', async () => {
    const fresh = await sipAccount();
    const theirs = await agentOf(fresh);
    expect(await refused(invite(theirs, {}, fresh))).toBe(403);
    await configure({ allowAllAgents: true }, fresh);
    expect(await refused(invite(theirs, {}, fresh))).toBe(0);
    await harness.query("update accounts set features = '{}' where account_id = $1", fresh.accountId);
    expect(await refused(invite(theirs, {}, fresh))).toBe(403);
  });

  it('is rejected at the call limits and when its agent cannot be called by SIP', async () => {
    const small = await sipAccount('PAYGO');
    const theirs = await agentOf(small);
    await configure({ allowAllAgents: true }, small);
    const answers: number[] = [];
    for (let i = 0; i < 6; i += 1) answers.push(await refused(invite(theirs, {}, small)));
    // The limits are five concurrent calls and five creations per second.
    expect(answers.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect([486, 503]).toContain(answers[5]);
    await eventually(async () => expect(await refused(invite(theirs, {}, small))).toBe(486));
    // Rejected calls return their permits: the limit is 30 creations per minute.
    for (let i = 0; i < 26; i += 1) expect(await refused(invite(theirs, {}, small))).toBe(486);
    const { body } = await account.post<Agent>('/api/agents', {
      name: 'Needs a name',
      callTemplate: { systemPrompt: 'You talk to {{name}}.' },
    });
    await configure({ allowAllAgents: true });
    expect(await refused(invite(body.agentId))).toBe(500);
  });

  it('stores no phone number for zero-retention calls', async () => {
    const silent = await agentOf(account, { retentionPolicy: 'CALL_RETENTION_POLICY_ZDR' });
    await configure({ allowAllAgents: true });
    const { spec } = await taken(invite(silent));
    expect(spec.retention).toBe('zdr');
    expect(await account.call(spec.callId)).toMatchObject({ requestContext: null, joinUrl: null });
    const { rows } = await harness.query(
      'select calls::text as row from calls where call_id = $1',
      spec.callId,
    );
    expect(JSON.stringify(rows)).not.toContain('4930123456');
  });

  it('is accepted with arbitrary header text', async () => {
    await configure({ allowAllAgents: true });
    const headers = { 'X-Odd': 'a\0b\ud800', __proto__: 'x' };
    const { spec } = await taken(invite(agentId, { headers }));
    expect((await account.call(spec.callId)).requestContext).toMatchObject({
      sip: { headers: { 'X-Odd': expect.any(String) } },
    });
  });

  it('leads to an unjoined call when its worker never responds', async () => {
    const quick = await agentOf(account, { joinTimeout: '1s' });
    await configure({ allowAllAgents: true });
    const { spec } = await taken(invite(quick));
    await harness.query(
      "update calls set expires_at = now() - interval '1 minute' where call_id = $1",
      spec.callId,
    );
    await eventually(async () => {
      expect(await account.call(spec.callId)).toMatchObject({
        endReason: 'unjoined',
        sipDetails: { billedDuration: null, terminationReason: null },
      });
    });
  });
});

describe('the SIP fallback handler', () => {
  const useHandler = (url = `${handler.url}/sip`): Promise<void> =>
    configure({ fallbackHandler: { url, secrets: SECRETS }, allowedAgents: [{ agentId }] });

  it('receives a signed request for unmatched INVITEs and starts a call', async () => {
    await useHandler();
    handler.answers.push({
      status: 200,
      body: { startCall: { systemPrompt: 'Hello.', metadata: { a: 'b' }, medium: { webRtc: {} } } },
    });
    const invited = invite('+4930111');
    const { spec } = await taken(invited);
    expect([spec.callId, spec.firstStage.systemPrompt, spec.medium.kind]).toEqual([
      invited.callId,
      'Hello.',
      'sip',
    ]);
    expect(await account.call(spec.callId)).toMatchObject({ agentId: null, metadata: { a: 'b' } });
    const [request] = handler.requests;
    expect([request?.method, request?.path]).toEqual(['POST', '/sip']);
    expect(JSON.parse(request!.body)).toEqual({ accountId: account.accountId, ...invited });
    expect(isSignedWith(SECRETS, { ...request!, atMs: 0 })).toBe(true);
    // It is not called for INVITEs that match an agent.
    expect(await refused(invite(agentId))).toBe(0);
    expect(handler.requests).toHaveLength(1);
  });

  it('can start a call of any agent of the account', async () => {
    await useHandler();
    const named = await agentOf(account, { systemPrompt: 'You talk to {{name}}.' });
    const templateContext = { name: 'Ada' };
    handler.answers.push({ status: 200, body: { startAgentCall: { agentId: named, templateContext } } });
    const { spec } = await taken(invite('sales'));
    expect(spec.firstStage.systemPrompt).toBe('You talk to Ada.');
    expect((await account.call(spec.callId)).agentId).toBe(named);
  });

  it('can reject with its own status code and reason', async () => {
    await useHandler();
    const reject = { sipRejectCode: 480, message: 'Closed on Sundays' };
    handler.answers.push({ status: 200, body: { reject } }, { status: 200, body: { reject: {} } });
    expect(await ask(invite('sales'))).toEqual({ kind: 'reject', status: 480, reason: 'Closed on Sundays' });
    expect(await ask(invite('sales'))).toEqual({ kind: 'reject', status: 603, reason: 'Decline' });
  });

  it('is ignored when it fails or returns an invalid response', async () => {
    await useHandler();
    const stranger = await agentOf(await sipAccount());
    const bodies: unknown[] = [
      '{',
      '',
      null,
      [],
      {},
      { startCall: {}, reject: {} },
      { startCall: { systemPromt: 'x' } },
      { startCall: { systemPrompt: 'a\0b' } },
      { startCall: { model: 'none of ours' } },
      { startAgentCall: {} },
      { startAgentCall: { agentId: stranger } },
      { startAgentCall: { agentId: newId() } },
      { reject: { sipRejectCode: 200 } },
      { reject: { message: 'two\r\nlines' } },
      { startCall: { systemPrompt: 'x'.repeat(1_100_000) } },
    ];
    const before = await callsOf(account);
    for (const body of bodies) {
      handler.answers.push({ status: 200, body });
      expect([JSON.stringify(body).slice(0, 80), await refused(invite('sales'))]).toEqual([
        JSON.stringify(body).slice(0, 80),
        500,
      ]);
    }
    for (const answer of [{ status: 500 }, { status: 302 }, 'breaks'] as const) {
      handler.answers.push(answer);
      expect(await refused(invite('sales'))).toBe(500);
    }
    expect(handler.requests).toHaveLength(bodies.length + 3);
    expect(await callsOf(account)).toBe(before);
  });

  it('is not called in private networks', async () => {
    await useHandler('http://example.com/');
    const url = 'http://10.0.0.1/sip';
    await harness.query(
      "update sip_configs set fallback_handler = jsonb_set(fallback_handler, '{url}', to_jsonb($1::text)) where account_id = $2",
      url,
      account.accountId,
    );
    expect(await refused(invite('sales'))).toBe(500);
  });
});

describe('an ended SIP call', () => {
  const facts = (more: Partial<SipFacts> = {}): SipFacts => ({
    dialledAtMs: Date.now() - 20_000,
    durationMs: 13_000,
    terminationReason: 'SIP_TERMINATION_NORMAL',
    logKey: null,
    ...more,
  });

  async function ended(call: Call, end: Partial<CallLogEntryBody & { type: 'ended' }>): Promise<Call> {
    const event = harness.eventsOf(call, account.accountId);
    const body = endedEntry(end);
    await harness.bus.callLogs.append(event(1, body), 0);
    return eventually(async () => {
      const shown = await account.call(call.callId);
      expect(shown.ended).not.toBeNull();
      return shown;
    });
  }

  const outgoing = { to: 'sip:desk@example.com', from: '+4930123' };
  const dialled = (extra: Record<string, unknown> = {}): Promise<Call> =>
    account.createCall({
      medium: { sip: { outgoing: { ...outgoing, username: 'u', password: 'of the line' } } },
      ...extra,
    });
  const sipMinutes = async (): Promise<number> => {
    const { body } = await account.request<UsageResponse>('/api/accounts/me/billing/usage');
    expect(body.dailyUsage.reduce((sum, day) => sum + day.sipMinutes, 0)).toBe(body.totalSipMinutes);
    return body.totalSipMinutes;
  };

  it('is billed once from the start of dialling, even if unanswered', async () => {
    const before = await sipMinutes();
    const call = await dialled();
    expect(call).toMatchObject({
      joinUrl: null,
      medium: { sip: { outgoing: { ...outgoing, username: 'u' } } },
      sipDetails: { billedDuration: null, terminationReason: null },
    });
    const over = await ended(call, { joinedAtMs: Date.now() - 5000, sip: facts() });
    expect(over).toMatchObject({
      billingStatus: 'BILLING_STATUS_BILLED',
      sipDetails: { billedDuration: '18s', terminationReason: 'SIP_TERMINATION_NORMAL' },
    });
    const busy = await ended(await dialled(), {
      endReason: 'unjoined',
      sip: facts({ durationMs: 1, terminationReason: 'SIP_TERMINATION_BUSY' }),
    });
    expect(busy).toMatchObject({
      billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
      billedDuration: '0s',
      sipDetails: { billedDuration: '6s', terminationReason: 'SIP_TERMINATION_BUSY' },
    });
    const unusable = await ended(await dialled(), { endReason: 'system_error', sip: facts() });
    expect(unusable.sipDetails).toEqual({
      billedDuration: '0s',
      terminationReason: 'SIP_TERMINATION_NORMAL',
    });
    expect(await sipMinutes()).toBeCloseTo(before + 24 / 60, 9);
    // Billing data remains when the call is deleted.
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect(await sipMinutes()).toBeCloseTo(before + 24 / 60, 9);
  });

  it('provides its SIP messages at a signed URL', async () => {
    const call = await dialled();
    const path = `/api/calls/${call.callId}/sip_logs`;
    const logs = (): Promise<Response> =>
      fetch(`${harness.url}${path}`, { headers: { 'X-API-Key': account.key }, redirect: 'manual' });
    expect((await logs()).status).toBe(425);
    const logKey = `sip-logs/${account.accountId}/${call.callId}.txt`;
    await harness.storage.put(logKey, [Buffer.from('INVITE sip:desk@example.com SIP/2.0\n')]);
    await ended(call, { sip: facts({ logKey }) });
    const found = await logs();
    expect(found.status).toBe(302);
    const location = found.headers.get('Location')!;
    const served = await fetch(location);
    expect([served.status, served.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await served.text()).toBe('INVITE sip:desk@example.com SIP/2.0\n');
    expect((await fetch(`${location}x`)).status).toBe(403);
    expect((await fetch(location, { method: 'POST' })).status).toBe(405);
    const stranger = await sipAccount();
    expect((await stranger.request(path)).status).toBe(404);
    expect((await account.send('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect((await fetch(location)).status).toBe(404);
    const { rows } = await harness.query(
      "select payload from outbox where payload->>'kind' = 'delete_objects'",
    );
    expect(JSON.stringify(rows)).toContain(logKey);
  });

  it('responds with 404 when no SIP messages are stored, and with zero retention stores no phone number', async () => {
    const without = await dialled();
    await ended(without, { sip: facts() });
    expect((await account.request(`/api/calls/${without.callId}/sip_logs`)).status).toBe(404);
    const silent = await dialled({ retentionPolicy: 'zdr' });
    const over = await ended(silent, { sip: facts({ logKey: 'sip-logs/of/it.txt' }) });
    expect((await account.request(`/api/calls/${silent.callId}/sip_logs`)).status).toBe(404);
    expect(over).toMatchObject({ medium: { sip: { outgoing: { ...outgoing, username: 'u' } } } });
    const { rows } = await harness.query(
      'select calls::text as row from calls where call_id = $1 union all select payload::text from outbox',
      silent.callId,
    );
    expect(JSON.stringify(rows)).toContain('sealed:');
    expect(JSON.stringify(rows)).not.toContain('desk@example.com');
  });
});

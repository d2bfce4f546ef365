import { afterAll, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { SipConfig } from '@calls/api-contract/rest/sip';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import { levelDbfs } from '@calls/audio/pcm';
import { findFreePorts } from '@calls/local-stack/free-port';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { askUntilUnderstood } from '../support/repeat-until-understood.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithPhone, PHONE_RATE_HZ, SoftPhone } from '../support/sip/soft-phone.ts';
import { startTestStack } from '../support/start-stack.ts';

const HOST = '127.0.0.1';
const RTP_PORTS = 20;
const FROM = `sip:hotel@${HOST}`;
const GREETING = 'Hello, this is Ada.';
const QUESTION = 'please tell me the way';
const SETTINGS = {
  systemPrompt: 'You are Ada, the receptionist of a hotel.',
  maxDuration: '900s',
  firstSpeakerSettings: { agent: { text: GREETING } },
};
/** Threshold of audible sound in a window of 20 ms. */
const AUDIBLE_DBFS = -35;
const WINDOW_MS = 20;
const WINDOW = (PHONE_RATE_HZ * WINDOW_MS) / 1000;

const sip = await findFreePorts(1);
const rtp = await findFreePorts(RTP_PORTS);
const env = {
  ...{ SIP_DOMAIN: 'sip.test', SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST },
  OUTBOUND_ALLOW_PRIVATE: HOST,
};
const [stack, question] = await Promise.all([
  startTestStack({ env, ports: { sip, sipRtp: { first: rtp, last: rtp + RTP_PORTS - 1 } } }),
  speak({ engine: 'flite', voice: 'slt', text: QUESTION, sampleRateHz: PHONE_RATE_HZ }),
]);
const api = new Api(stack);
const phone = await SoftPhone.open({ user: 'ann', proxy: `${HOST}:${sip}` });
afterAll(async () => {
  await phone[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

/** Times at which the phone played audible sound, in windows of 20 ms. */
async function audibleMs(of = phone): Promise<{ loud: number[]; lengthMs: number }> {
  const played = await of.played();
  const windows = Array.from({ length: Math.floor(played.length / WINDOW) }, (_, i) => i);
  const loud = windows.filter((i) => levelDbfs(played.subarray(i * WINDOW, (i + 1) * WINDOW)) > AUDIBLE_DBFS);
  return { loud: loud.map((i) => i * WINDOW_MS), lengthMs: windows.length * WINDOW_MS };
}

/** Waits until a phone plays speech after `fromMs`. */
function agentSpeaks(fromMs: number, to = phone): Promise<void> {
  return eventually(async () => {
    const { loud } = await audibleMs(to);
    expect(loud.filter((ms) => ms >= fromMs).length * WINDOW_MS).toBeGreaterThan(400);
  });
}

/** Waits until the agent is silent and returns the end time of its last sound. */
function agentSilent(): Promise<number> {
  return eventually(async () => {
    const { loud, lengthMs } = await audibleMs();
    const lastMs = loud.at(-1) ?? 0;
    expect(lengthMs - lastMs).toBeGreaterThan(500);
    return lastMs;
  });
}

/** Waits until the whole greeting was played. On a busy machine, it has pauses. */
async function agentGreeted(callId: string): Promise<void> {
  await agentSpeaks(0);
  await messageWith(callId, 'MESSAGE_ROLE_AGENT', GREETING);
  await agentSilent();
}

function messageWith(callId: string, role: string, text: string): Promise<void> {
  return eventually(async () => {
    const texts = (await api.messages(callId)).map((message) => [message.role, message.text]);
    expect(texts).toContainEqual([role, expect.stringContaining(text)]);
  });
}

/** Creates an outgoing call to the phone. */
async function calls(settings: Record<string, unknown> = {}): Promise<Call> {
  const outgoing = { to: phone.uri, from: FROM };
  return api.createCall({ ...SETTINGS, ...settings, medium: { sip: { outgoing } } });
}

/** SIP messages of an ended call, which are stored shortly after the end. */
async function messagesOf(callId: string): Promise<string> {
  const url = new URL(`/api/calls/${callId}/sip_logs`, stack.apiUrl);
  return eventually(async () => {
    const response = await fetch(url, { headers: { 'x-api-key': stack.developmentKey } });
    expect(response.status).toBe(200);
    return response.text();
  });
}

/** Requests and final responses of a log in order, without UDP retransmissions. */
function ladder(log: string): string[] {
  const found = log.matchAll(/^([A-Z]+(?= sips?:)|SIP\/2\.0 [2-6]\d\d)[^]*?^CSeq: *(\d+ [A-Z]+)/gmu);
  const messages = new Map([...found].map(([, line = '', number = '']) => [`${line} ${number}`, line]));
  return [...messages.values()];
}

describeWithPhone('a call by SIP', () => {
  it('rings a phone, exchanges speech with it and is hung up by the agent', async () => {
    const { callId, joinUrl } = await calls();
    expect(joinUrl).toBeNull();
    await phone.until('CALL_INCOMING');
    expect((await api.call(callId)).joined).toBeNull();
    await phone.accept();
    await agentGreeted(callId);
    await askUntilUnderstood(api, callId, {
      question: QUESTION,
      async ask() {
        const { lengthMs } = await audibleMs();
        await phone.speak(question);
        return () => agentSpeaks(lengthMs);
      },
      quiet: agentSilent,
    });
    // On a busy machine, a filler phrase comes before the response.
    await eventually(async () => {
      const messages = await api.messages(callId);
      expect(messages[0]).toMatchObject({ role: 'MESSAGE_ROLE_AGENT', text: GREETING });
      const asked = messages.findIndex(({ role }) => role === 'MESSAGE_ROLE_USER');
      expect(asked).toBeGreaterThan(0);
      expect(messages.slice(asked).map(({ role }) => role)).toContain('MESSAGE_ROLE_AGENT');
    });
    const sent = await api.request('POST', `/api/calls/${callId}/send_data_message`, { type: 'hang_up' });
    expect(sent.status).toBe(204);
    await phone.until('CALL_CLOSED');
    const ended = await api.endedCall(callId);
    expect(ended).toMatchObject({
      endReason: 'agent_hangup',
      sipDetails: {
        terminationReason: 'SIP_TERMINATION_NORMAL',
        billedDuration: expect.stringMatching(/^\d+s$/u),
      },
    });
    const log = await messagesOf(callId);
    expect(ladder(log)).toEqual(['INVITE', 'SIP/2.0 200', 'ACK', 'BYE', 'SIP/2.0 200']);
  });

  it('to a busy phone ends unjoined and reports the reason', async () => {
    await phone.forget();
    const { callId } = await calls();
    await phone.until('CALL_INCOMING');
    await phone.hangUp();
    expect(await api.endedCall(callId)).toMatchObject({
      joined: null,
      endReason: 'unjoined',
      billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
      sipDetails: { terminationReason: 'SIP_TERMINATION_BUSY' },
    });
    expect(await api.events(callId)).toContainEqual(
      expect.objectContaining({ type: 'not_reached', severity: 'error' }),
    );
    expect(ladder(await messagesOf(callId))).toEqual(['INVITE', 'SIP/2.0 486', 'ACK']);
  });

  it('from an allowed address reaches an agent, accepts DTMF and ends when the phone hangs up', async () => {
    await phone.forget();
    const agent = await api.request<Agent>('POST', '/api/agents', { name: 'Ada', callTemplate: SETTINGS });
    const { agentId } = agent.body;
    const { domain } = (await api.request<SipConfig>('GET', '/api/sip')).body;
    const uri = `sip:agent_${agentId}@${domain}`;
    await phone.dial(uri);
    await phone.until('CALL_CLOSED');
    await phone.forget();
    const allowed = await api.request('PATCH', '/api/sip', {
      allowedCidrRanges: ['127.0.0.0/8'],
      allowAllAgents: true,
    });
    expect(allowed.status).toBe(200);
    await phone.dial(uri);
    await phone.until('CALL_ESTABLISHED');
    const { results } = (await api.request<{ results: Call[] }>('GET', `/api/agents/${agentId}/calls`)).body;
    expect(results).toMatchObject([{ joinUrl: null, medium: { sip: { incoming: {} } } }]);
    const callId = results[0]?.callId ?? '';
    await agentGreeted(callId);
    await phone.press('7');
    await messageWith(callId, 'MESSAGE_ROLE_USER', '7');
    await phone.hangUp();
    expect(await api.endedCall(callId)).toMatchObject({
      endReason: 'hangup',
      agentId,
      requestContext: { sip: { to: { user: `agent_${agentId}` }, from: { user: 'ann' } } },
      sipDetails: { terminationReason: 'SIP_TERMINATION_NORMAL' },
    });
    const log = await messagesOf(callId);
    expect(ladder(log)).toEqual(['INVITE', 'SIP/2.0 200', 'ACK', 'BYE', 'SIP/2.0 200']);
  });

  it('is transferred to a person who accepts with a key, and returns to the agent when the person hangs up', async () => {
    await phone.forget();
    await using person = await SoftPhone.open({ user: '4930777', answersAtOnce: true });
    const proxy = person.uri.replace('sip:4930777@', '');
    const line = { name: 'Office', proxy, numbers: ['+4930555'] };
    const trunk = await api.request<SipTrunk>('POST', '/api/sip/trunks', line);
    expect(trunk.status).toBe(201);
    const parameterOverrides = { target: '4930777', trunk_id: trunk.body.trunkId };
    const { callId } = await calls({ selectedTools: [{ toolName: 'warmTransfer', parameterOverrides }] });
    await phone.until('CALL_INCOMING');
    await phone.accept();
    await agentGreeted(callId);
    const toolCalls = [{ name: 'warmTransfer', arguments: { summary: 'A guest asks for the manager.' } }];
    const message = { type: 'forced_agent_message', content: 'One moment.', toolCalls };
    const sent = await api.request('POST', `/api/calls/${callId}/send_data_message`, message);
    expect(sent.status).toBe(204);
    await api.noted(callId, 'warm_transfer_answered');
    // The agent speaks the briefing.
    await agentSpeaks(0, person);
    await person.press('1');
    await api.noted(callId, 'warm_transfer_connected');
    const [user, other] = [await audibleMs(), await audibleMs(person)];
    await Promise.all([person.speak(question), phone.speak(question)]);
    await Promise.all([agentSpeaks(user.lengthMs + 500), agentSpeaks(other.lengthMs + 500, person)]);
    await person.hangUp();
    expect(await api.noted(callId, 'warm_transfer_ended')).toMatchObject({ outcome: 'person_left' });
    await messageWith(callId, 'MESSAGE_ROLE_TOOL_RESULT', 'The user is with you again.');
    await phone.hangUp();
    expect(await api.endedCall(callId)).toMatchObject({ endReason: 'hangup' });
  });
});

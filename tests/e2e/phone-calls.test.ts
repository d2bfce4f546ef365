import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import { levelDbfs } from '@calls/audio/pcm';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import { requireQuick } from '@calls/testkit/long-form';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { askUntilUnderstood, saidBy } from '../support/repeat-until-understood.ts';
import { eventually } from '../support/eventually.ts';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { startTestStack } from '../support/start-stack.ts';
import { SOUND_PEAK } from '../support/telephony/loudspeaker.ts';
import { startTelephoneExchange, type Phone } from '../support/telephony/start-telephone-exchange.ts';
import { tone } from '../support/tones.ts';
import { workerWithClient } from '../support/worker-with-client.ts';

const SIZE = { 'control-plane': 1, 'media-worker': 2, dispatcher: 1 };
const HOST = '127.0.0.1';
const RTP_PORTS = 20;
const QUESTION = 'please tell me the way';
const GREETING = 'Hello this is Ada.';
/** Half a minute: a busy machine needs seconds until the person speaks. */
const LONG_GREETING = `${GREETING} You have reached the hotel by the sea, where breakfast is from seven to ten and the ferry leaves at noon. ${'The beach is a short walk away, and the market is open every morning of the week. '.repeat(4).trim()}`;
const INTERRUPTION = { text: 'stop that please', voice: 'rms' };
const SETTINGS = { systemPrompt: 'You are Ada, the receptionist of a hotel.', maxDuration: '900s' };
const FROM = '+4930555000';
const SILENCE_MS = 800;

const phones: Phone[] = [];

const exchange = await startTelephoneExchange();
// Synthesizes the interruption before the person needs it.
await speak({ engine: 'flite', voice: INTERRUPTION.voice, text: INTERRUPTION.text, sampleRateHz: 8000 });
const rtp = await findFreePorts(RTP_PORTS);
const stack = await startTestStack({
  size: SIZE,
  ports: { sipRtp: { first: rtp, last: rtp + RTP_PORTS - 1 } },
  env: {
    ...{ SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST, OUTBOUND_ALLOW_PRIVATE: HOST },
    TELEPHONY1_BASE_URL: exchange.baseUrl,
    TELEPHONY2_BASE_URL: exchange.baseUrl,
    TELEPHONY3_BASE_URL: exchange.baseUrl,
  },
});
const api = new Api(stack);
for (const provider of ['telephony1', 'telephony2', 'telephony3'] as const) {
  const body = { ...exchange.accounts[provider], callCreationAllowAllAgents: true };
  const { status } = await api.request('POST', `/api/telephony_configs/${provider}`, body);
  expect(status).toBe(201);
}
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await exchange[Symbol.asyncDispose]();
});

function greets(text: string) {
  return { firstSpeakerSettings: { agent: { text } } };
}

/** A person calls an agent through a provider that requests XML. */
async function callsIn(
  provider: TelephonyDialect,
  settings: Record<string, unknown>,
): Promise<{ phone: Phone; callId: string }> {
  const created = await api.request<Agent>('POST', '/api/agents', {
    name: `Ada at ${provider}`,
    callTemplate: { ...SETTINGS, ...settings },
  });
  expect(created.status).toBe(201);
  const { agentId } = created.body;
  const url = `${stack.apiUrl}/api/agents/${agentId}/telephony_xml`;
  const phone = await exchange.dialIn(provider, url, FROM);
  phones.push(phone);
  const callId = await eventually(async () => {
    const { body } = await api.request<{ results: Call[] }>('GET', `/api/agents/${agentId}/calls`);
    const [call] = body.results;
    if (!call) throw new Error(`no call yet; ${JSON.stringify(await phone.report())}`);
    return call.callId;
  });
  return { phone, callId };
}

/** An agent calls a person. */
async function isCalled(
  provider: TelephonyDialect,
  to: string,
  settings: Record<string, unknown> = {},
): Promise<{ phone: Phone; callId: string }> {
  const { callId } = await dials(provider, to, settings);
  const phone = await exchange.phoneOf(to);
  phones.push(phone);
  return { phone, callId };
}

function dials(
  provider: TelephonyDialect,
  to: string,
  { additionalParams = {}, ...settings }: Record<string, unknown> = {},
): Promise<Call> {
  const outgoing = { to, from: FROM, additionalParams };
  return api.createCall({
    ...SETTINGS,
    ...greets(GREETING),
    ...settings,
    medium: { [provider]: { outgoing } },
  });
}

/** Waits until the whole greeting has been played to the person. */
async function greeted(phone: Phone, callId: string): Promise<void> {
  // On a busy machine, pauses in the greeting are long.
  await eventually(async () => {
    const [greeting] = await api.messages(callId);
    expect(greeting).toMatchObject({ role: 'MESSAGE_ROLE_AGENT', text: GREETING });
  });
  const { lastSoundMs } = await phone.quiet();
  const all = await phone.played(0, lastSoundMs ?? 0);
  const played = all.subarray(all.findIndex((sample) => Math.abs(sample) > SOUND_PEAK));
  expect(levelDbfs(played)).toBeGreaterThan(-40);
  expect(roughness(played)).toBeLessThan(0.7);
}

/**
 * Relative difference of adjacent samples. Over the whole greeting 0.45 to 0.55 in this voice (with or without gaps),
 * 0.87 to 0.95 when its mu-law is decoded as A-law, 2 in noise and with swapped bytes. Single words differ more: an "s" is noise.
 */
function roughness(samples: Int16Array): number {
  const power = (values: Int16Array): number => values.reduce((sum, value) => sum + value ** 2, 0);
  const steps = samples.map((sample, i) => sample - (samples[i - 1] ?? 0));
  return power(steps) / power(samples);
}

/** The person asks until the question is transcribed, and hears a response. The agent must be silent before. */
function asks(phone: Phone, callId: string): Promise<void> {
  return askUntilUnderstood(api, callId, {
    question: QUESTION,
    async ask() {
      await phone.say(QUESTION);
      const { nowMs } = await phone.report();
      return () => phone.soundAfter(nowMs);
    },
    quiet: () => phone.quiet(),
  });
}

async function hangsUp(phone: Phone, callId: string): Promise<void> {
  await phone.hangUp();
  expect(await api.endedCall(callId)).toMatchObject({
    endReason: 'hangup',
    billingStatus: 'BILLING_STATUS_BILLED',
  });
}

async function sends(callId: string, message: Record<string, unknown>): Promise<void> {
  const path = `/api/calls/${callId}/send_data_message`;
  const { status } = await api.request('POST', path, { ...message, urgency: 'immediate' });
  expect(status).toBe(204);
}

/** Makes the agent speak and use a tool. */
function agentUses(callId: string, name: string, args: Record<string, unknown>): Promise<void> {
  const toolCalls = [{ name, arguments: args }];
  return sends(callId, { type: 'forced_agent_message', content: 'One moment.', toolCalls });
}

/** Sends a text message to the agent. */
function writes(callId: string, text: string): Promise<void> {
  return sends(callId, { type: 'user_text_message', text });
}

const withTool = (toolName: string) => ({ selectedTools: [{ toolName }] });

/*
 * Verbs: a stream that has ended is followed by a redirect. On a busy machine, a phone may be sent back to a call that has
 * just ended, which rejects its stream.
 */

describe('an incoming phone call', () => {
  it('connects the caller with the agent through each provider', async () => {
    await Promise.all([interrupted(), pressesKeys(), isHungUpOn(), losesStream(), hasVoicebot()]);
  });

  async function interrupted(): Promise<void> {
    const { phone, callId } = await callsIn('telephony1', greets(LONG_GREETING));
    const begun = await phone.soundAfter(0);
    await phone.until('a second of it', ({ nowMs }) => nowMs > (begun.lastSoundMs ?? 0) + 1000);
    const { nowMs: spokenMs } = await phone.report();
    await phone.say(INTERRUPTION.text, INTERRUPTION.voice);
    // The first one makes the voice soft, the second one ends it.
    const { clears } = await phone.until('the end of it', (report) => report.clears.length > 1);
    const clearedMs = clears[1]?.atMs ?? Infinity;
    requireQuick(clearedMs - spokenMs, 2000);
    await phone.until('what follows', ({ nowMs }) => nowMs > clearedMs + 400);
    expect(levelDbfs(await phone.played(clearedMs + 60, clearedMs + 360))).toBeLessThan(-60);
    await hangsUp(phone, callId);
    const [greeting] = await api.messages(callId);
    expect(LONG_GREETING.startsWith(greeting?.text?.slice(0, 20) ?? '?')).toBe(true);
    expect(greeting?.text?.length).toBeLessThan(LONG_GREETING.length);
  }

  async function pressesKeys(): Promise<void> {
    const userTextMessage = { text: 'The keys are {digits}.', urgency: 'URGENCY_IMMEDIATE' };
    const { phone, callId } = await callsIn('telephony2', {
      ...greets(GREETING),
      medium: { telephony2: { dtmfHandling: { userTextMessage } } },
    });
    await greeted(phone, callId);
    await asks(phone, callId);
    await phone.press('42#');
    await eventually(async () => expect(await saidBy(api, callId)).toContain('The keys are 42#.'));
    await hangsUp(phone, callId);
  }

  async function isHungUpOn(): Promise<void> {
    const { phone, callId } = await callsIn('telephony3', { ...greets(GREETING), ...withTool('hangUp') });
    await greeted(phone, callId);
    await asks(phone, callId);
    await agentUses(callId, 'hangUp', { reason: 'All is said.' });
    const { verbs, streamEnds } = await phone.until('the end', ({ isOver }) => isOver);
    expect(verbs.join(' ')).toMatch(/^stream redirect (?:stream redirect )*hangup$/u);
    expect(streamEnds[0]).toEqual({ by: 'remote', code: 1000, reason: 'agent_hangup' });
    const { endReason, agentId } = await api.endedCall(callId);
    expect(endReason).toBe('agent_hangup');
    // The provider's report of the end creates no call.
    const { body } = await api.request<{ results: Call[] }>('GET', `/api/agents/${agentId}/calls`);
    expect(body.results).toHaveLength(1);
  }

  /** Only the provider's status callback says that the caller hung up. */
  async function losesStream(): Promise<void> {
    const { phone, callId } = await callsIn('telephony1', greets(GREETING));
    await greeted(phone, callId);
    await Promise.all([phone.cut(), phone.hangUp()]);
    expect((await api.endedCall(callId)).endReason).toBe('hangup');
  }

  async function hasVoicebot(): Promise<void> {
    const medium = { telephony4: {} };
    const { callId, joinUrl } = await api.createCall({ ...SETTINGS, ...greets(GREETING), medium });
    const phone = await exchange.dialIn('telephony4', joinUrl ?? '', FROM);
    phones.push(phone);
    await greeted(phone, callId);
    await asks(phone, callId);
    await hangsUp(phone, callId);
  }
});

describe('an outgoing phone call', () => {
  it('survives a disconnection, is transferred, or fails as busy or unanswered, with each provider', async () => {
    await Promise.all([isPutThrough(), talks(), leaves(), isBusy(), isNotThere()]);
  });

  async function isBusy(): Promise<void> {
    await exchange.setNumber('+49301', 'busy');
    const { callId } = await dials('telephony1', '+49301', { joinTimeout: '60s' });
    expect(await notReached(callId)).toMatch(/busy/u);
  }

  async function isNotThere(): Promise<void> {
    await exchange.setNumber('+49306', 'rings_on');
    const { callId } = await dials('telephony3', '+49306', {
      joinTimeout: '60s',
      additionalParams: { ring_timeout: 1 },
    });
    expect(await notReached(callId)).toMatch(/^The phone was not answered\.$/u);
  }

  async function isPutThrough(): Promise<void> {
    const { phone, callId } = await isCalled('telephony1', '+49302', withTool('coldTransfer'));
    await greeted(phone, callId);
    await asks(phone, callId);
    await agentUses(callId, 'coldTransfer', { target: '+4930777' });
    const put = await phone.until('the transfer', ({ verbs }) => verbs.includes('dial +4930777'));
    expect(put.isOver).toBe(false);
    expect((await api.endedCall(callId)).endReason).toBe('agent_hangup');
    await phone.hangUp();
  }

  async function talks(): Promise<void> {
    const { phone, callId } = await isCalled('telephony2', '+49303', withTool('hangUp'));
    await greeted(phone, callId);
    const { nowMs: cutMs } = await phone.report();
    await phone.cut();
    // The agent speaks after the reconnection.
    await phone.soundAfter(cutMs);
    await phone.quiet();
    await asks(phone, callId);
    await agentUses(callId, 'hangUp', { reason: 'All is said.' });
    const { verbs } = await phone.until('the end', ({ isOver }) => isOver);
    expect(verbs.join(' ')).toMatch(/^stream redirect stream redirect (?:stream redirect )*hangup$/u);
    expect((await api.endedCall(callId)).endReason).toBe('agent_hangup');
  }

  async function leaves(): Promise<void> {
    const { phone, callId } = await isCalled('telephony3', '+49304', withTool('playDtmfSounds'));
    await greeted(phone, callId);
    await asks(phone, callId);
    await agentUses(callId, 'playDtmfSounds', { digits: '12#' });
    await phone.until('the digits', ({ digits }) => digits === '12#');
    await hangsUp(phone, callId);
  }
});

describe('a phone call with a warm transfer', () => {
  it('is connected with a person behind a SIP trunk, and returns to the agent', async () => {
    await using person = await SipPeer.open();
    const line = { name: 'Office', proxy: `${HOST}:${person.port}`, numbers: ['+4930555'] };
    const trunk = await api.request<SipTrunk>('POST', '/api/sip/trunks', line);
    expect(trunk.status).toBe(201);
    const parameterOverrides = {
      ...{ target: '+4930777', trunk_id: trunk.body.trunkId },
      ...{ acceptance: 'automatic', hold_music: false },
    };
    const selectedTools = [{ toolName: 'warmTransfer', parameterOverrides }];
    const { phone, callId } = await isCalled('telephony1', '+49309', { selectedTools });
    await greeted(phone, callId);
    await agentUses(callId, 'warmTransfer', { summary: 'A guest asks for the manager.' });
    const other = await person.take(await person.invited(), tone(1000, 60_000));
    await other.audioReceived;
    await api.noted(callId, 'warm_transfer_connected');
    const { nowMs } = await phone.report();
    await phone.soundAfter(nowMs);
    const before = other.audible;
    await phone.say(QUESTION);
    await eventually(() => expect(other.audible).toBeGreaterThan(before));
    await other.dialog.bye();
    expect(await api.noted(callId, 'warm_transfer_ended')).toMatchObject({ outcome: 'person_left' });
    await hangsUp(phone, callId);
  });

  it('is connected with people called through each provider, and stops phones that ring', async () => {
    await exchange.setNumber('+49311', 'busy');
    await exchange.setNumber('+49314', 'rings_on');
    const tool = (provider: TelephonyDialect, target: string) => ({
      ...{ toolName: 'warmTransfer', nameOverride: `call${target.slice(1)}` },
      parameterOverrides: { target, provider, from: FROM },
    });
    const selectedTools = [
      tool('telephony1', '+49311'),
      tool('telephony2', '+49312'),
      tool('telephony3', '+49313'),
      tool('telephony1', '+49314'),
    ];
    const { phone, callId } = await isCalled('telephony1', '+49310', { selectedTools });
    await greeted(phone, callId);
    const transfer = (target: string) =>
      agentUses(callId, `call${target.slice(1)}`, { summary: 'A guest asks for the manager.' });
    /** Another transfer is possible when the tool has returned, which is after the event. */
    const ended = async (count: number): Promise<unknown> => {
      const extras = await api.noted(callId, 'warm_transfer_ended', count);
      await eventually(async () => {
        const messages = await api.messages(callId);
        expect(messages.filter(({ role }) => role === 'MESSAGE_ROLE_TOOL_RESULT')).toHaveLength(count);
      });
      return extras;
    };
    /** The person presses 1 to accept the transfer. */
    const accepts = async (number: string, count: number): Promise<Phone> => {
      const person = await exchange.phoneOf(number);
      phones.push(person);
      await api.noted(callId, 'warm_transfer_answered', count);
      await person.press('1');
      await api.noted(callId, 'warm_transfer_connected', count);
      return person;
    };

    await transfer('+49311');
    const busy = { outcome: 'busy', detail: expect.stringContaining('busy') };
    expect(await ended(1)).toMatchObject(busy);

    await transfer('+49312');
    const second = await accepts('+49312', 1);
    await hears(second, phone);
    await hears(phone, second);
    await second.hangUp();
    expect(await ended(2)).toMatchObject({ outcome: 'person_left' });

    await transfer('+49313');
    const third = await accepts('+49313', 2);
    await hears(third, phone);
    await third.hangUp();
    expect(await ended(3)).toMatchObject({ outcome: 'person_left' });

    await transfer('+49314');
    const last = await exchange.phoneOf('+49314');
    phones.push(last);
    await hangsUp(phone, callId);
    await last.until('the end of the ringing', ({ status }) => status === 'canceled');
  });

  /** Waits until speech of the speaker is played to the listener. */
  async function hears(listener: Phone, speaker: Phone): Promise<void> {
    // The hold music and the briefing have ended; silence is sent continuously.
    const { nowMs } = await listener.until(
      'silence',
      (report) => report.nowMs - (report.lastSoundMs ?? 0) > SILENCE_MS,
    );
    await speaker.say(QUESTION);
    await listener.soundAfter(nowMs);
  }
});

describe('a phone call with failures', () => {
  it('reports a provider rejection and fails over when its worker is killed', async () => {
    const { apiKey } = exchange.accounts.telephony2;
    await api.request('PATCH', '/api/telephony_configs/telephony2', { apiKey: `${apiKey}x` });
    const [refused] = await Promise.all([
      dials('telephony2', '+49305', { joinTimeout: '60s' }).then(({ callId }) => notReached(callId)),
      losesWorker(),
    ]);
    expect(refused).toMatch(/Could not find any usable credentials/u);
    expect(refused).not.toContain(apiKey);
  });

  async function losesWorker(): Promise<void> {
    const { phone, callId } = await callsIn('telephony1', { firstSpeakerSettings: { user: {} } });
    await eventually(() => writes(callId, 'My name is Grete.'));
    await phone.soundAfter(0);
    const owner = await workerWithClient(stack);
    await owner.kill();
    const { nowMs: killedMs } = await phone.report();
    const back = await phone.until(
      'sound of the second stream',
      ({ streamsWithSound }) => streamsWithSound > 1,
    );
    expect(back.verbs.join(' ')).toMatch(/^stream redirect (?:stream redirect )*stream$/u);
    expect(back.streamEnds[0]).toMatchObject({ by: 'remote', code: 1006 });
    requireQuick((back.lastSoundMs ?? Infinity) - killedMs, 6000);
    await writes(callId, 'What is my name?');
    await phone.soundAfter(back.nowMs);
    await eventually(async () => {
      const last = (await api.messages(callId)).at(-1);
      expect(last).toMatchObject({ role: 'MESSAGE_ROLE_AGENT', text: expect.stringContaining('Grete') });
    });
    await hangsUp(phone, callId);
    expect(await saidBy(api, callId)).toEqual(['My name is Grete.', 'What is my name?']);
  }
});

it('the service sends only valid requests to the phone providers', async () => {
  const reports = await Promise.all(phones.map((phone) => phone.report()));
  expect(reports.map(({ errors }) => errors)).toEqual(phones.map(() => []));
});

/** The reason why the phone was not reached. Expects that the call ended without charge. */
async function notReached(callId: string): Promise<string> {
  expect(await api.endedCall(callId)).toMatchObject({
    joined: null,
    endReason: 'unjoined',
    billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
  });
  const events = await api.events(callId, 'error');
  return events.find(({ type }) => type === 'not_reached')?.text ?? '';
}

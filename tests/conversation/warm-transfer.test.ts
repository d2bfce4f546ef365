import { describe, expect, it } from '@jest/globals';
import { WARM_TRANSFER_DEFAULTS, type WarmTransferParameters } from '@calls/api-contract/rest/warm-transfer';
import type { LegOutcome, TransferLegRequest } from '@calls/conversation/ports/transfer-legs';
import { delay } from '@calls/foundation/clock';
import { stageSpec } from '@calls/testkit/call-spec';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import {
  expectNothingLeft,
  resumeCall,
  startToolCall,
  type ScriptedCall,
  type Scripts,
} from '../support/scripted-call.ts';
import { builtInTool } from '../support/scripted-tools.ts';
import { powerAt, tone } from '../support/tones.ts';

const [AGENT_HZ, USER_HZ, PERSON_HZ] = [0, 700, 1900];
const body = { location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' } } as const;

function transferTool(settings: Partial<WarmTransferParameters>) {
  return builtInTool('warmTransfer', {
    dynamicParameters: ['target', 'summary'].map((name) => ({ ...body, name, required: true })),
    staticParameters: Object.entries({ ...WARM_TRANSFER_DEFAULTS, ...settings }).map(([name, value]) => ({
      location: 'PARAMETER_LOCATION_BODY',
      name,
      value,
    })),
  });
}

const ASKED = {
  say: 'I call the front desk, one moment please.',
  call: [{ name: 'warmTransfer', arguments: { target: '+49 30 123456', summary: 'Ann wants a refund.' } }],
};

type Failure = Omit<LegOutcome & { kind: 'failed' }, 'kind'>;

/** A call with a warm transfer to a person who answers after 1 s or cannot be reached. */
function startTransfer({
  settings = {},
  failure,
  ...scripts
}: Scripts & { settings?: Partial<WarmTransferParameters>; failure?: Failure }) {
  const requests: TransferLegRequest[] = [];
  const aborted: boolean[] = [];
  let person = null as LoopbackTransport | null;
  const call = startToolCall({
    stt: ['a person please'],
    llm: [ASKED, 'How else can I help?'],
    ...scripts,
    stage: { tools: [transferTool(settings)], ...scripts.stage },
    services: (clock) => ({
      transferLegs: {
        async dial(request, signal) {
          requests.push(request);
          await delay(clock, 1000, signal).catch(() => aborted.push(true));
          if (failure) return { kind: 'failed', ...failure };
          person = new LoopbackTransport(clock);
          return { kind: 'answered', transport: person };
        },
      },
    }),
  });
  return {
    call,
    requests,
    aborted,
    get person(): LoopbackTransport {
      if (!person) throw new Error('the person was not called');
      return person;
    },
  };
}

type Transfer = ReturnType<typeof startTransfer>;

const outcomes = (call: ScriptedCall): unknown[] =>
  call.events.flatMap((event) =>
    event.type === 'noted' && event.eventType === 'warm_transfer_ended' ? [event.extras?.['outcome']] : [],
  );
const noticed = (call: ScriptedCall): string[] =>
  call.events.flatMap((event) =>
    event.type === 'noted' && event.eventType.startsWith('warm_transfer') ? [event.eventType.slice(14)] : [],
  );

/** Advances time, with both sides silent, until the transfer reports the event. */
async function until({ call }: Transfer, event: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 60_000 && !noticed(call).includes(event); waitedMs += 100)
    await call.transport.silence(call.clock, 100);
  expect(noticed(call)).toContain(event);
}

/** Waits until the briefing was played to the person. */
async function briefed(transfer: Transfer): Promise<void> {
  await until(transfer, 'answered');
  const { call, person } = transfer;
  await call.transport.silence(call.clock, 100);
  for (let playedMs = -1; playedMs < person.playedMs();) {
    playedMs = person.playedMs();
    await call.transport.silence(call.clock, 500);
  }
}

/** Both sides speak at the same time, in real time. */
async function bothSpeak({ call, person }: Transfer, durationMs: number): Promise<void> {
  const [user, other] = [tone(USER_HZ, durationMs), tone(PERSON_HZ, durationMs)];
  for (let at = 0; at < user.length; at += 320) {
    call.transport.hear(user.slice(at, at + 320));
    person.hear(other.slice(at, at + 320));
    await call.clock.advance(20);
  }
}

describe('warmTransfer', () => {
  it('plays music, briefs the person and connects both', async () => {
    const transfer = startTransfer({
      stt: ['a person please', 'hello this is Ann', 'hello Ann this is Bob'],
    });
    const { call } = transfer;
    await call.saySomething();
    await until(transfer, 'started');
    const heldMs = call.clock.nowMs();
    await briefed(transfer);
    const musicMs = call.transport.playedMs(heldMs);
    expect(musicMs).toBeGreaterThan(call.clock.nowMs() - heldMs - 100);
    expect(call.tts.spoken.join(' ')).toContain('Ann wants a refund.');
    expect(transfer.requests).toMatchObject([
      { target: '+4930123456', trunkId: null, from: null, ringLimitMs: 30_000 },
    ]);
    transfer.person.events.push({ type: 'dtmf', digit: '1' });
    await until(transfer, 'connected');
    const connectedMs = call.clock.nowMs();
    await bothSpeak(transfer, 1000);
    await call.transport.silence(call.clock, 2000);
    const audioOf = (one: LoopbackTransport): Int16Array =>
      one.playedAudio(call.clock.nowMs()).subarray(connectedMs * 16);
    expect(powerAt(audioOf(call.transport), PERSON_HZ)).toBeGreaterThan(
      1000 * powerAt(audioOf(call.transport), USER_HZ),
    );
    expect(powerAt(audioOf(transfer.person), USER_HZ)).toBeGreaterThan(
      1000 * powerAt(audioOf(transfer.person), PERSON_HZ),
    );
    // The agent is silent until the person has left.
    expect(call.llm.requests).toHaveLength(1);
    transfer.person.hangUp();
    await call.transport.silence(call.clock, 4000);
    expect(outcomes(call)).toEqual(['person_left']);
    expect(call.messages.at(-1)).toBe('AGENT: How else can I help?');
    expect(call.messages.filter((text) => text.startsWith('TOOL_RESULT'))).toEqual([
      expect.stringContaining('The person hung up. The user is with you again.'),
    ]);
    expect(call.messages).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^USER: hello/u),
        expect.stringMatching(/^AGENT: hello/u),
      ]),
    );
    await call.hangUp();
  });

  it('records the person in the agent’s channel', async () => {
    const transfer = startTransfer({ spec: { recordingEnabled: true } });
    const { call } = transfer;
    await call.saySomething();
    await briefed(transfer);
    transfer.person.events.push({ type: 'dtmf', digit: '1' });
    await until(transfer, 'connected');
    await bothSpeak(transfer, 2000);
    await call.hangUp();
    const agent = call.recording?.agent ?? new Int16Array(0);
    expect(powerAt(agent, PERSON_HZ)).toBeGreaterThan(100 * powerAt(agent, USER_HZ));
    expectNothingLeft(call);
  });

  it.each([
    ['busy', 'the line of the person is busy'],
    ['declined', 'the person declined the call'],
    ['no_answer', 'the person did not answer'],
    ['unreachable', 'the person could not be reached'],
    ['refused', 'the call to the person was not placed'],
  ] as const)('returns the user to the agent when the person is not reached: %s', async (failure, text) => {
    const transfer = startTransfer({
      failure: { failure, detail: 'The line was busy (SIP 486).' },
      settings: { no_answer_message: 'Please call again tomorrow.' },
    });
    const { call } = transfer;
    await call.saySomething();
    await until(transfer, 'ended');
    await call.transport.silence(call.clock, 4000);
    expect(outcomes(call)).toEqual([failure]);
    expect(call.messages).toContain(
      `TOOL_RESULT: Error: ${text}. The user is with you again. Say to the user: Please call again tomorrow.`,
    );
    expect(call.messages.at(-1)).toBe('AGENT: How else can I help?');
    await call.hangUp();
  });

  it.each([
    ['declined', (person) => void person.events.push({ type: 'dtmf', digit: '2' })],
    ['abandoned', (person) => person.hangUp()],
    ['not_accepted', () => undefined],
  ] satisfies [string, (person: LoopbackTransport) => void][])(
    'returns the user to the agent when the person does not accept the call: %s',
    async (outcome, react) => {
      const transfer = startTransfer({});
      const { call } = transfer;
      await call.saySomething();
      await briefed(transfer);
      react(transfer.person);
      await until(transfer, 'ended');
      await call.transport.silence(call.clock, 4000);
      expect(outcomes(call)).toEqual([outcome]);
      expect(transfer.person.closedWith).toBe('agent_hangup');
      expect(call.messages.at(-1)).toBe('AGENT: How else can I help?');
      await call.hangUp();
    },
  );

  it('connects only when the person says yes if acceptance is by speech', async () => {
    const transfer = startTransfer({
      stt: ['a person please', 'hello who is this', 'yes please'],
      settings: { acceptance: 'speech' },
    });
    const { call } = transfer;
    await call.saySomething();
    await briefed(transfer);
    const say = async (): Promise<void> => {
      await transfer.person.speak(call.clock, 1000);
      await transfer.person.silence(call.clock, 1500);
    };
    await say();
    expect(noticed(call)).toEqual(['started', 'answered']);
    await say();
    expect(noticed(call)).toEqual(['started', 'answered', 'connected']);
    await call.hangUp();
  });

  it('connects without a question if acceptance is automatic, and ends the call when the person leaves', async () => {
    const transfer = startTransfer({
      settings: { acceptance: 'automatic', when_person_leaves: 'end_call', hold_music: false },
    });
    const { call } = transfer;
    await call.saySomething();
    await until(transfer, 'answered');
    const answeredMs = call.clock.nowMs();
    await until(transfer, 'connected');
    expect(call.transport.playedMs(answeredMs)).toBe(0);
    transfer.person.hangUp();
    await call.transport.silence(call.clock, 3000);
    expect(call.outcome).toMatchObject({ reason: 'agent_hangup', transferTo: null });
    expectNothingLeft(call);
  });

  it.each(['started', 'answered', 'connected'])(
    'ends the second leg when the user hangs up after %s',
    async (event) => {
      const transfer = startTransfer({ settings: { acceptance: 'automatic' } });
      const { call } = transfer;
      await call.saySomething();
      await until(transfer, event);
      await call.hangUp();
      expect(call.outcome).toMatchObject({ reason: 'hangup' });
      if (event === 'started') expect(transfer.aborted).toEqual([true]);
      expect(transfer.person.closedWith).toBe('agent_hangup');
      expect(outcomes(call)).toEqual(['call_ended']);
      expectNothingLeft(call);
    },
  );

  it.each(['answered', 'connected'])(
    'ends the second leg when the user is disconnected after %s',
    async (event) => {
      const transfer = startTransfer({ settings: { acceptance: 'automatic' } });
      const { call } = transfer;
      await call.saySomething();
      await until(transfer, event);
      await call.loseConnection();
      expect(transfer.person.closedWith).toBe('agent_hangup');
      expect(outcomes(call)).toEqual(['call_ended']);
      expectNothingLeft(call);
      const back = resumeCall(call);
      await back.transport.silence(call.clock, 5000);
      expect(back.transport.states.at(-1)).toBe('listening');
      await back.hangUp();
    },
  );

  describe('with the agent as a third party', () => {
    const settings = { acceptance: 'automatic', agent_name: 'Max' } as const;

    it('lets the agent respond to both only when the user or the person says its name', async () => {
      const transfer = startTransfer({
        stt: ['a person please', 'hello Bob', 'Max what does it cost', 'thank you', 'max is it in stock'],
        llm: [ASKED, 'It costs ten.', 'It is in stock.', 'How else can I help?'],
        settings,
      });
      const { call } = transfer;
      await call.saySomething();
      await until(transfer, 'connected');
      const { person } = transfer;
      const userSays = async (): Promise<void> => {
        await call.saySomething(3000);
      };
      const personSays = async (): Promise<void> => {
        await person.speak(call.clock, 1000);
        await person.silence(call.clock, 4000);
      };
      await userSays();
      expect(call.llm.requests).toHaveLength(1);
      const askedMs = call.clock.nowMs();
      await userSays();
      expect(call.messages.at(-1)).toBe('AGENT: It costs ten.');
      const spoken = (one: LoopbackTransport): Int16Array =>
        one.playedAudio(call.clock.nowMs()).subarray((askedMs + 1500) * 16);
      // The user is silent, so the remaining audio is the agent's.
      for (const one of [call.transport, person])
        expect(spoken(one).some((sample) => sample !== 0)).toBe(true);
      await personSays();
      expect(call.llm.requests).toHaveLength(2);
      await personSays();
      expect(call.messages.at(-1)).toBe('AGENT: It is in stock.');
      expect(call.llm.requests.at(-1)?.messages).toContainEqual({
        role: 'system',
        content: expect.stringContaining('third party'),
      });
      expect(noticed(call)).toEqual(['started', 'answered', 'connected']);
      person.hangUp();
      await call.transport.silence(call.clock, 4000);
      expect(outcomes(call)).toEqual(['person_left']);
      expect(call.messages.at(-1)).toBe('AGENT: How else can I help?');
      await call.hangUp();
    });

    it('lets the user and the person hear each other while the agent speaks', async () => {
      const transfer = startTransfer({
        stt: ['a person please', 'Max what does it cost'],
        llm: [ASKED, 'That is a very long story which goes on and on and on and on and on.'],
        settings,
        // Prevents both from interrupting the agent.
        stage: {
          vad: { ...stageSpec().vad, minimumInterruptionDurationMs: 5000 },
          tools: [transferTool(settings)],
        },
        spec: { recordingEnabled: true },
      });
      const { call } = transfer;
      await call.saySomething();
      await until(transfer, 'connected');
      await call.saySomething();
      await call.untilSpeaking();
      const startedMs = call.clock.nowMs() + 200;
      await bothSpeak(transfer, 1500);
      const during = ({ length }: Int16Array): [number, number] => [
        startedMs * 16,
        Math.min(length, (startedMs + 1000) * 16),
      ];
      const played = (one: LoopbackTransport): Int16Array => {
        const audio = one.playedAudio(call.clock.nowMs());
        return audio.subarray(...during(audio));
      };
      await call.hangUp();
      const recorded = call.recording?.agent ?? new Int16Array(0);
      for (const [audio, other, own] of [
        [played(call.transport), PERSON_HZ, USER_HZ],
        [recorded.subarray(...during(recorded)), PERSON_HZ, USER_HZ],
        [played(transfer.person), USER_HZ, PERSON_HZ],
      ] as const) {
        // The scripted agent's voice is a constant.
        for (const hz of [other, AGENT_HZ])
          expect(powerAt(audio, hz)).toBeGreaterThan(100 * powerAt(audio, own));
      }
      expectNothingLeft(call);
    });

    it('stops the agent when the person speaks', async () => {
      const transfer = startTransfer({
        stt: ['a person please', 'Max what does it cost', 'I know that'],
        llm: [ASKED, 'That is a very long story which goes on and on and on and on and on.', 'Back again.'],
        settings,
      });
      const { call } = transfer;
      await call.saySomething();
      await until(transfer, 'connected');
      await call.saySomething();
      await call.untilSpeaking();
      await transfer.person.speak(call.clock, 1000);
      const startedMs = call.clock.nowMs();
      await transfer.person.speak(call.clock, 1000);
      const played = call.transport.playedAudio(call.clock.nowMs()).subarray((startedMs + 100) * 16);
      expect(played.every((sample) => sample === 5000)).toBe(true);
      await transfer.person.silence(call.clock, 3000);
      expect(call.messages.at(-1)).toBe('AGENT: I know that');
      await call.hangUp();
    });
  });

  it.each([
    ['before', [{ name: 'hangUp', arguments: {} }, ...ASKED.call]],
    ['after', [...ASKED.call, { name: 'hangUp', arguments: {} }]],
  ])('transfers the user instead of ending the call if hangUp is called %s it', async (_when, calls) => {
    const tools = [transferTool({ acceptance: 'automatic' }), builtInTool('hangUp')];
    const transfer = startTransfer({
      llm: [{ say: ASKED.say, call: calls }, 'Did that help?'],
      stage: { tools },
    });
    const { call } = transfer;
    await call.saySomething();
    await until(transfer, 'connected');
    transfer.person.hangUp();
    await call.transport.silence(call.clock, 3000);
    expect(outcomes(call)).toEqual(['person_left']);
    expect(call.messages).toContain('TOOL_RESULT: The call ends unless it is transferred.');
    expect(call.messages.at(-1)).toBe('AGENT: Did that help?');
    await call.hangUp();
    expectNothingLeft(call);
  });

  it('ends the conversation of user and person at its limit', async () => {
    const transfer = startTransfer({ settings: { acceptance: 'automatic', max_talk_seconds: 10 } });
    const { call } = transfer;
    await call.saySomething();
    await until(transfer, 'connected');
    await call.transport.silence(call.clock, 15_000);
    expect(outcomes(call)).toEqual(['talk_limit']);
    expect(transfer.person.closedWith).toBe('agent_hangup');
    expect(call.messages.at(-1)).toBe('AGENT: How else can I help?');
    await call.hangUp();
  });

  it('ends when the agent plays its message at the time limit of the call', async () => {
    const transfer = startTransfer({
      spec: { maxDurationMs: 60_000 },
      stage: { timeExceededMessage: 'Our time is over.', tools: [transferTool({ acceptance: 'automatic' })] },
    });
    const { call } = transfer;
    await call.saySomething();
    await until(transfer, 'connected');
    await call.transport.silence(call.clock, 65_000);
    expect(outcomes(call)).toEqual(['call_ended']);
    expect(call.messages).toContain('AGENT: Our time is over.');
    expect(call.outcome).toMatchObject({ reason: 'timeout' });
    expectNothingLeft(call);
  });

  it('refuses a takeover by a supervisor while it is in progress', async () => {
    const transfer = startTransfer({});
    const { call } = transfer;
    const reasons: string[] = [];
    const supervised = call.session.supervise({
      supervisorId: 'ann',
      name: null,
      mode: 'barge',
      sampleRateHz: 16_000,
      writeAudio: () => undefined,
      send: (message) => void (message.type === 'refused' && reasons.push(message.reason)),
      end: () => undefined,
    });
    if (typeof supervised === 'string') throw new Error(supervised);
    await call.saySomething();
    await until(transfer, 'answered');
    supervised.receive({ type: 'take_over' });
    expect(reasons).toEqual(['transferring']);
    await call.hangUp();
  });

  it('fails for a target that is not allowed', async () => {
    const { call, requests } = startTransfer({ settings: { allowed_targets: ['+4989*', 'sip:*'] } });
    await call.saySomething(4000);
    expect(requests).toEqual([]);
    expect(call.messages).toContain('TOOL_RESULT: Error: target must match one of: +4989*, sip:*');
    await call.hangUp();
  });

  it('fails for a target that is neither a number nor a SIP URI', async () => {
    const { call, requests } = startTransfer({
      llm: [
        { call: [{ name: 'warmTransfer', arguments: { target: 'the desk', summary: 'Ann' } }] },
        'I cannot.',
      ],
    });
    await call.saySomething(4000);
    expect(requests).toEqual([]);
    expect(call.messages).toContain(
      'TOOL_RESULT: Error: target must be a phone number like +15550100 or a SIP URI like sip:desk@example.com',
    );
    expect(call.messages.at(-1)).toBe('AGENT: I cannot.');
    await call.hangUp();
  });
});

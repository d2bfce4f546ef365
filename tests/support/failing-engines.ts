import { expect } from '@jest/globals';
import type { CallEvent } from '@calls/api-contract/rest/call-records';
import type { CallClient } from '@calls/examples/call-client';
import type { Stack } from '@calls/local-stack/stack';
import type { Behaviour, Role } from '@calls/testkit/ai-stand-in/behaviour';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { IS_LONG_FORM, requireQuick } from '@calls/testkit/long-form';
import { Api } from './api.ts';
import { eventually } from './eventually.ts';
import { startTestStack } from './start-stack.ts';

/** Time limits of engines that do not fail. A busy machine needs longer than the long form, which measures. */
const LIMITS_MS = IS_LONG_FORM
  ? { stt: 2000, firstToken: 4000, gap: 2000, tts: 2500 }
  : { stt: 6000, firstToken: 10_000, gap: 6000, tts: 6000 };
const WELL = { behaviour: 'ok' } as const;
/** Three times as fast as people speak, so that tests wait less. */
const MS_PER_CHARACTER = 20;

/** A complete system with engines that fail on request. */
export class FailingEngines {
  readonly api: Api;
  readonly standIn: AiStandIn;
  readonly #stack: Stack;
  readonly #speech: Int16Array;

  private constructor(stack: Stack, standIn: AiStandIn, speech: Int16Array) {
    this.#stack = stack;
    this.standIn = standIn;
    this.#speech = speech;
    this.api = new Api(stack);
  }

  static async start(): Promise<FailingEngines> {
    const standIn = await startAiStandIn({ sttDelayMs: 50, llmFirstTokenMs: 50, ttsFirstAudioMs: 50 });
    const stack = await startTestStack({
      env: {
        ...standIn.engineEnv,
        STT_TIMEOUT_MS: String(LIMITS_MS.stt),
        LLM_FIRST_TOKEN_TIMEOUT_MS: String(LIMITS_MS.firstToken),
        LLM_GAP_TIMEOUT_MS: String(LIMITS_MS.gap),
        TTS_FIRST_AUDIO_TIMEOUT_MS: String(LIMITS_MS.tts),
        TTS_GAP_TIMEOUT_MS: String(LIMITS_MS.tts),
      },
    });
    const speech = await speak({ engine: 'flite', voice: 'slt', text: 'hello there', sampleRateHz: 16_000 });
    return new FailingEngines(stack, standIn, speech);
  }

  async stop(): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
    await this.standIn[Symbol.asyncDispose]();
  }

  async allWell(): Promise<void> {
    const llm = { ...WELL, replies: ['All right. Is there more?'] };
    await this.standIn.control({
      stt: WELL,
      llm,
      tts: { ...WELL, msPerCharacter: MS_PER_CHARACTER },
      forgetRequests: true,
    });
  }

  /** Sends speech. */
  speak(client: CallClient): Promise<void> {
    return client.speak(this.#speech);
  }

  /** Sends speech and returns the milliseconds from its end to the first audio of the response. */
  async turn(client: CallClient): Promise<number> {
    await this.speak(client);
    const saidMs = client.nowMs;
    const before = client.audio.length;
    await client.until('something to hear', () => client.audio.length > before);
    return (client.audio[before]?.atMs ?? Number.POSITIVE_INFINITY) - saidMs;
  }

  /** Runs a call in which the engine of `role` fails during one turn and works in the next. */
  async survives(role: Role, behaviour: Behaviour, eventType: string): Promise<void> {
    const { call, client } = await this.api.startCall({ firstSpeakerSettings: { user: {} } });
    await this.standIn.control({ [role]: { behaviour } });
    requireQuick(await this.turn(client), 3000);
    const events = (): Promise<CallEvent[]> => this.api.events(call.callId, 'info');
    // On a busy machine speech can arrive in two parts. The second part then interrupts the first response before it
    // fails.
    await eventually(async () => expect((await events()).map(({ type }) => type)).toContain(eventType));
    await quiet(client);
    await this.standIn.control({ stt: WELL, llm: { ...WELL, replies: ['Yes.'] }, tts: WELL });
    requireQuick(await this.turn(client), 3000);
    await client.until('the response', () =>
      client.transcript.some(({ role, text }) => role === 'agent' && text.endsWith('Yes.')),
    );
    await client.hangUp();
    const ended = await this.api.endedCall(call.callId);
    expect(ended.endReason).toBe('hangup');
    expect(await this.api.messages(call.callId)).toContainEqual(
      expect.objectContaining({ role: 'MESSAGE_ROLE_AGENT', text: expect.stringMatching(/Yes\.$/u) }),
    );
  }
}

export function quiet(client: CallClient): Promise<void> {
  const done = (): boolean => client.state === 'listening' && !client.isPlaying;
  return client.until('the agent to finish', done);
}

import { afterAll, beforeAll, beforeEach, describe, it } from '@jest/globals';
import type { Behaviour } from '@calls/testkit/ai-stand-in/behaviour';
import { FailingEngines } from '../support/failing-engines.ts';

let engines: FailingEngines;

beforeAll(async () => {
  engines = await FailingEngines.start();
});
afterAll(() => engines.stop());
beforeEach(() => engines.allWell());

describe('failing TTS', () => {
  it.each<[Behaviour, string]>([
    ['error', 'voice_fault'],
    ['never', 'reply_slow'],
    ['cut', 'voice_fault'],
    ['stall', 'voice_fault'],
    ['garbage', 'voice_fault'],
    ['empty', 'voice_fault'],
  ])(
    '%s: the caller hears speech within 3 s, an event is recorded and the call continues',
    (behaviour, eventType) => engines.survives('tts', behaviour, eventType),
  );
});

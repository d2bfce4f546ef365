import { afterAll, beforeAll, beforeEach, describe, it } from '@jest/globals';
import type { Behaviour } from '@calls/testkit/ai-stand-in/behaviour';
import { FailingEngines } from '../support/failing-engines.ts';

let engines: FailingEngines;

beforeAll(async () => {
  engines = await FailingEngines.start();
});
afterAll(() => engines.stop());
beforeEach(() => engines.allWell());

describe('failing STT', () => {
  it.each<[Behaviour, string]>([
    ['error', 'speech_input_fault'],
    ['never', 'speech_input_fault'],
    ['garbage', 'speech_input_fault'],
    ['refuse', 'speech_input_fault'],
  ])(
    '%s: the caller hears speech within 3 s, an event is recorded and the call continues',
    (behaviour, eventType) => engines.survives('stt', behaviour, eventType),
  );
});

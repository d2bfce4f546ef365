import { describe, expect, it } from '@jest/globals';
import { AutomaticParameter } from '@calls/api-contract/rest/tool-parameters';
import { automaticParameterValues, type AutomaticParameterContext } from './automatic-parameters.ts';

const facts: AutomaticParameterContext = {
  callId: 'c1',
  stageId: 's1',
  metadata: { order: '7' },
  outputSampleRateHz: 16_000,
  state: { step: 2 },
  messages: [{ role: 'MESSAGE_ROLE_USER', text: 'Hi' }],
};

describe('automaticParameterValues', () => {
  it('returns a value for every automatic parameter', () => {
    const all = AutomaticParameter.properties.knownValue.enum;
    const values = automaticParameterValues(
      all.map((knownValue) => ({ name: knownValue, knownValue })),
      facts,
    );
    expect(values).toEqual({
      KNOWN_PARAM_CALL_ID: 'c1',
      KNOWN_PARAM_CONVERSATION_HISTORY: facts.messages,
      KNOWN_PARAM_OUTPUT_SAMPLE_RATE: 16_000,
      KNOWN_PARAM_CALL_STATE: { step: 2 },
      KNOWN_PARAM_CALL_STAGE_ID: 's1',
      KNOWN_PARAM_THREAD_ID: 'c1',
      KNOWN_PARAM_THREAD_STATES: { c1: { step: 2 } },
      KNOWN_PARAM_CALL_METADATA: { order: '7' },
    });
  });
});

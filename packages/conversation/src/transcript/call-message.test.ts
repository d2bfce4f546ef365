import { describe, expect, it } from '@jest/globals';
import { MessageMediumEnum, MessageRole } from '@calls/api-contract/rest/enums';
import { callMessageOf, storedMessageOf } from './call-message.ts';

describe('call messages', () => {
  it.each(MessageRole.enum)('preserve the role %s in a round trip', (role) => {
    const converted = callMessageOf({ role, text: 'x' });
    expect(converted.role).toBe(role.replace('MESSAGE_ROLE_', '').toLowerCase());
    expect(storedMessageOf(converted)).toEqual({ role, text: 'x' });
  });

  it.each(MessageMediumEnum.enum)('preserve the medium %s in a round trip', (medium) => {
    const converted = callMessageOf({ medium });
    expect(converted.medium).toBe(medium.replace('MESSAGE_MEDIUM_', '').toLowerCase());
    expect(storedMessageOf(converted)).toEqual({ medium });
  });

  it('preserve all other fields and add none in a round trip', () => {
    const message = { text: 'x', metadata: { order: 1 }, callStageMessageIndex: 2 };
    expect(callMessageOf(message)).toEqual(message);
    expect(storedMessageOf(callMessageOf({}))).toEqual({});
  });
});

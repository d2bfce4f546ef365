import { describe, expect, it } from '@jest/globals';
import * as contract from '@calls/api-contract/data-messages/message-text';
import { MAX_MESSAGE_BYTES, MAX_TEXT_LENGTH } from './message-size.ts';

describe('the size limits of the SDK', () => {
  it('are those of the service', () => {
    expect([MAX_MESSAGE_BYTES, MAX_TEXT_LENGTH]).toEqual([
      contract.MAX_MESSAGE_BYTES,
      contract.MAX_MESSAGE_TEXT_LENGTH,
    ]);
  });
});

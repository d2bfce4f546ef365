import { describe, expect, it } from '@jest/globals';
import type { ModelMessage } from '@calls/engine-ports/language-model';
import { inStrictOrder } from './strict-order.ts';

const says = (role: 'system' | 'user' | 'assistant', content: string): ModelMessage => ({ role, content });
const CALLS: ModelMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'a', name: 'w', arguments: '{}' }],
};
const RESULT: ModelMessage = { role: 'tool', toolCallId: 'a', content: 'Rain.' };

describe('inStrictOrder', () => {
  it('merges all instructions into one system message at the start', () => {
    expect(inStrictOrder([says('system', 'A'), says('user', 'Hi'), says('system', 'B')], 'm')).toEqual([
      says('system', 'A\n\nB'),
      says('user', 'Hi'),
    ]);
    expect(inStrictOrder([says('system', 'A')], 'm')).toEqual([says('system', 'A')]);
  });

  it('lets the user begin', () => {
    const begins = says('user', '(The call begins.)');
    const greeting = says('assistant', 'Hello!');
    expect(inStrictOrder([says('system', 'A'), greeting, says('user', 'Hi')], 'm')).toEqual([
      says('system', 'A'),
      begins,
      greeting,
      says('user', 'Hi'),
    ]);
    expect(inStrictOrder([CALLS, RESULT], 'm')).toEqual([begins, CALLS, RESULT]);
  });

  it('joins messages of one role in a row, also across instructions', () => {
    expect(
      inStrictOrder(
        [
          says('user', 'One.'),
          says('system', 'A'),
          says('user', 'Two.'),
          says('assistant', 'Three.'),
          says('assistant', 'Four.'),
          CALLS,
          RESULT,
          CALLS,
          RESULT,
        ],
        'm',
      ),
    ).toEqual([
      says('system', 'A'),
      says('user', 'One.\n\nTwo.'),
      { ...CALLS, content: 'Three.\n\nFour.' },
      RESULT,
      CALLS,
      RESULT,
    ]);
  });

  it('joins text and audio of the user', () => {
    const audio = { type: 'audio', samples: new Int16Array(2) } as const;
    expect(inStrictOrder([says('user', 'Hi'), { role: 'user', content: [audio] }], 'm')).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }, audio] },
    ]);
  });

  it('puts an assistant message between the result of a tool and the user for Mistral only', () => {
    const said = [says('user', 'Hi'), CALLS, RESULT, says('user', 'And?')];
    expect(inStrictOrder(said, 'gpt-4o')).toEqual(said);
    expect(inStrictOrder(said, 'mistralai/Devstral-Small')).toEqual(
      said.toSpliced(3, 0, says('assistant', '…')),
    );
    expect(inStrictOrder(said.slice(0, 3), 'mistral-large-latest')).toEqual(said.slice(0, 3));
  });
});

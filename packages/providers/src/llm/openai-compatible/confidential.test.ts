import { expect, it } from '@jest/globals';
import { refusalMessage } from '../../http/refusal.ts';
import { confidentialTexts } from './confidential.ts';

it('refusalMessage removes messages, tool arguments and tool results that the error repeats', () => {
  const texts = confidentialTexts([
    { role: 'user', content: [{ type: 'text', text: 'my card is lost' }] },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'a', name: 'block', arguments: '{"card":{"number":4111222},"on":true}' }],
    },
    { role: 'tool', toolCallId: 'a', content: '{"owner":["Ada Lovelace"],"no":7}' },
    { role: 'tool', toolCallId: 'b', content: 'plain words' },
  ]);
  const said =
    'bad "my card is lost": {"card":{"number":4111222},"on":true} gave 4111222 of Ada Lovelace, plain words, 7';
  expect(refusalMessage(said, texts)).toBe('bad "[…]": […] gave […] of […], […], 7');
});

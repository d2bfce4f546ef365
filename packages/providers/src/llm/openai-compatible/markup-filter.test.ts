import { describe, expect, it } from '@jest/globals';
import { MarkupFilter } from './markup-filter.ts';

const read = (pieces: Iterable<string>): { text: string; hasToolCall: boolean } => {
  const filter = new MarkupFilter();
  const text = Array.from(pieces, (piece) => filter.push(piece, false)).join('') + filter.push('', true);
  return { text, hasToolCall: filter.hasToolCall };
};

describe('MarkupFilter', () => {
  it.each([
    ['Hello.<|im_end|>', 'Hello.', false],
    ['<|start_header_id|>Hi<|eot_id|> there', 'Hi there', false],
    ['Hi<｜end▁of▁sentence｜>', 'Hi', false],
    ['One moment. <tool_call>\n{"name":"look"}\n</tool_call>', 'One moment. ', true],
    ['<|python_tag|>{"name":"look"}', '', true],
    ['[TOOL_CALLS] [{"name":"look"}]', '', true],
    ['<function=look>{}</function> Done.', '', true],
    ['<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function', '', true],
    [
      '1 < 2, <b>bold</b> [TODO] <tool> a <| b |> c <',
      '1 < 2, <b>bold</b> [TODO] <tool> a <| b |> c <',
      false,
    ],
    ['<|', '<|', false],
    ['[TOOL_C', '[TOOL_C', false],
  ])('reads %j, split anywhere', (input, text, hasToolCall) => {
    expect(read([input])).toEqual({ text, hasToolCall });
    expect(read(input)).toEqual({ text, hasToolCall });
    for (let at = 1; at < input.length; at += 1)
      expect(read([input.slice(0, at), input.slice(at)])).toEqual({ text, hasToolCall });
  });

  it('returns text without markup piece by piece', () => {
    const filter = new MarkupFilter();
    expect(['Hel', 'lo <b', '>'].map((piece) => filter.push(piece, false))).toEqual(['Hel', 'lo <b', '>']);
  });
});

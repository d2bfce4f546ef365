/** How models begin a tool call. Servers that parse the calls of a model remove this from its text. */
const TOOL_CALLS = [
  '<tool_call>',
  '<|tool_call|>',
  '[TOOL_CALLS]',
  '<|python_tag|>',
  '<function=',
  '<｜tool▁calls▁begin｜>',
];
/** Tokens of chat templates, such as `<|im_end|>`, with Latin or full-width bars. */
const TOKEN = /<[|｜][\w▁]{1,40}[|｜]>/gu;
/** Text that may become one of the above. */
const UNDECIDED = /<(?:[|｜](?:[\w▁]{0,40}[|｜]?)?)?$/u;

/** Removes tokens and tool calls that servers without support for a model's format leave in its text. */
export class MarkupFilter {
  /** Whether the text has a tool call. Whatever follows it is removed. */
  hasToolCall = false;
  #held = '';

  /** Returns the text that this piece completes; may be empty. `isLast`: no other piece follows. */
  push(piece: string, isLast: boolean): string {
    if (this.hasToolCall) return '';
    const text = this.#held + piece;
    const callAt = Math.min(...TOOL_CALLS.map((call) => text.indexOf(call)).filter((at) => at !== -1));
    this.hasToolCall = callAt !== Number.POSITIVE_INFINITY;
    const known = this.hasToolCall || isLast ? text.slice(0, callAt) : text.slice(0, undecidedAt(text));
    this.#held = text.slice(known.length);
    return known.replaceAll(TOKEN, '');
  }
}

function undecidedAt(text: string): number {
  for (const call of TOOL_CALLS)
    for (let length = Math.min(call.length - 1, text.length); length > 0; length -= 1)
      if (text.endsWith(call.slice(0, length))) return text.length - length;
  return UNDECIDED.exec(text)?.index ?? text.length;
}

import type { ConversationView } from '../conversation-view.ts';
import type { Persona } from '../persona.ts';

/** A turn of the caller to respond to. */
export interface Turn extends ConversationView {
  callerText: string;
  /** `callerText` in lower case. */
  words: string;
  persona: Persona;
}

/** The response, if the caller's words match this intent. */
export type Intent = (turn: Turn) => string | undefined;

export const wordCount = (text: string): number => text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0;

/** The name by which the caller has introduced themselves; undefined if they have not. */
export function callerName({ callerTurns }: Turn): string | undefined {
  for (const turn of callerTurns.toReversed()) {
    const name =
      /\b(?:my name is|my name's|call me|i am called)\s+(?<name>[\p{L}'-]+(?:\s+(?!and\b|but\b|i\b|from\b|please\b|back\b)[\p{L}'-]+)?)/iu.exec(
        turn,
      )?.groups?.['name'];
    if (name !== undefined && !/^(?:back|when|if|at|on|later|again|not|tomorrow)\b/i.test(name))
      return titleCase(name);
  }
  return undefined;
}

function titleCase(name: string): string {
  return name.replace(
    /(^|[\s-])(\p{Ll})/gu,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

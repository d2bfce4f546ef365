import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { TurnEvent } from '../turn/turn-types.ts';

/** Messages that add to the conversation. */
export type SpokenMessage = Exclude<
  ClientMessage,
  { type: 'ping' | 'dtmf' | 'set_output_medium' | 'client_tool_result' | 'data_connection_tool_result' }
>;

/** Converts a message to a turn event, or returns why it is ignored. */
export function turnEventOf(
  message: SpokenMessage,
  hangUpReason: EndReason,
): TurnEvent | { type: 'ignored'; reason: string } {
  switch (message.type) {
    case 'user_text_message':
      return unlessBlank(message.text, {
        type: 'text_received',
        text: message.text,
        urgency: message.urgency ?? 'soon',
      });
    case 'input_text_message':
      return unlessBlank(message.text, {
        type: 'text_received',
        text: message.text,
        urgency: message.deferResponse === true ? 'later' : 'immediate',
      });
    case 'forced_agent_message': {
      const { content = '', toolCalls = [], uninterruptible = false, urgency = 'soon' } = message;
      const words = { text: content, interruptible: !uninterruptible, toolCalls };
      const forced = { type: 'words_forced', words, atOnce: urgency === 'immediate' } as const;
      return toolCalls.length > 0 ? forced : unlessBlank(content, forced);
    }
    case 'hang_up':
      return { type: 'ending', words: message.message ?? '', reason: hangUpReason };
  }
}

function unlessBlank(text: string, event: TurnEvent): TurnEvent | { type: 'ignored'; reason: string } {
  return text.trim() === '' ? { type: 'ignored', reason: 'an empty text message was ignored' } : event;
}

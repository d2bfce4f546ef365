import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { TurnEvent } from '../turn/turn-types.ts';
import type { CallEvents } from './call-events.ts';
import type { Answer } from '../answering-machine/answer-classifier.ts';
import type { MenuNavigation } from './menu-navigation.ts';
import type { RunWarmTransfer } from '../transfer/warm-transfer-machine.ts';
import type { ConversationServices } from './services.ts';

/** What the components of one call share. */
export interface CallContext {
  spec: CallSpec;
  services: ConversationServices;
  callEvents: CallEvents;
  /** Milliseconds since the join. */
  callTimeMs: () => number;
  /** Sends a message to all listeners of the call. */
  send: (message: ServerMessage) => void;
  /** Publishes a call log entry. */
  emit: (body: CallLogEntryBody) => void;
  dispatch: (event: TurnEvent) => void;
  navigation: MenuNavigation;
  /** What answered an outgoing call; null while unknown. */
  answer: () => Answer | null;
  /**
   * Transfers the user to `target` now; false if that is refused or not answered. Null if the medium does not support
   * transfers, or only after the call.
   */
  transfer: ((target: string) => Promise<boolean>) | null;
  /** See WarmTransfers. */
  warmTransfer: RunWarmTransfer;
  /** See MediaTransport. Null if the medium does not support it. */
  sendDigits: ((digits: string) => boolean) | null;
  /** Records an error of one component; the call continues. */
  reportError: (component: string, error: Error) => void;
  /** Ends the call because of an internal error. */
  fail: (error: Error) => void;
}

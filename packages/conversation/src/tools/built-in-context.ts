import type { ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import type { Clock } from '@calls/foundation/clock';
import type { CorpusQueries } from '../ports/tools.ts';
import type { RunWarmTransfer } from '../transfer/warm-transfer-machine.ts';

/** State and actions of the call that built-in tools use. */
export interface BuiltInContext {
  accountId: string;
  outputSampleRateHz: number;
  /** False while the agent responds in text. */
  hasVoiceOutput: boolean;
  /** Whether the medium supports transfers. */
  canTransfer: boolean;
  /** See CallContext. */
  transfer: ((target: string) => Promise<boolean>) | null;
  /** See CallContext. */
  warmTransfer: RunWarmTransfer;
  /** See CallContext. */
  sendDigits: ((digits: string) => boolean) | null;
  /** See MenuNavigation.untilSilent. */
  untilSilent: (silenceMs: number | null, signal: AbortSignal) => Promise<void>;
  /** See MenuNavigation.wait. */
  waitForPrompt: (options: readonly string[]) => void;
  corpora: CorpusQueries;
  clock: Clock;
  timeoutMs: number;
  reaction: ToolReaction;
  signal: AbortSignal;
}

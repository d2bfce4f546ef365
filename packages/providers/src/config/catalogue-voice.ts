import type { VoiceSelection } from '@calls/api-contract/call-spec';

/** A voice that the control-plane puts into its catalogue. */
export interface CatalogueVoice extends VoiceSelection {
  /** Stable over releases and unique over engines; the voice's id is made from it. Kebab-case. */
  key: string;
  /** Shown to people, at most 40 characters. */
  name: string;
  /** At most 240 characters. */
  description: string | null;
  /** BCP 47 tag of at most 10 characters. */
  primaryLanguage: string | null;
  languageLabel: string | null;
}

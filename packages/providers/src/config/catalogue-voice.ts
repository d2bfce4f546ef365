import type { VoiceSelection } from '@calls/engine-ports/text-to-speech';
import { Type } from 'typebox';

/** The name of a voice in the catalogue, or its id. */
export const VoiceName = Type.String({ minLength: 1, maxLength: 128 });

/** A voice for the control-plane's catalogue. */
export interface CatalogueVoice extends VoiceSelection {
  /** Stable across releases and unique across engines; the voice's id is derived from it. Kebab-case. */
  key: string;
  /** Display name, at most 40 characters. */
  name: string;
  /** At most 240 characters. */
  description: string | null;
  /** BCP 47 tag of at most 10 characters. */
  primaryLanguage: string | null;
  languageLabel: string | null;
}

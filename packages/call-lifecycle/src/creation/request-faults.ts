import type { Fault } from '@calls/api-contract/validation/validator';
import { backgroundFaults } from './rules/background-faults.ts';
import { durationFaults } from './rules/duration-faults.ts';
import { firstSpeakerFaults } from './rules/first-speaker-faults.ts';
import { initialMessageFaults } from './rules/initial-message-faults.ts';
import { languageFaults } from './rules/language-faults.ts';
import { metadataFaults } from './rules/metadata-faults.ts';
import { outputMediumFaults } from './rules/output-medium-faults.ts';
import { sipFaults } from './rules/sip-faults.ts';
import { voiceFaults } from './rules/voice-faults.ts';

const RULES = [
  durationFaults,
  metadataFaults,
  voiceFaults,
  firstSpeakerFaults,
  initialMessageFaults,
  outputMediumFaults,
  languageFaults,
  backgroundFaults,
  sipFaults,
];

/**
 * What a request breaks of the rules beyond its schema, as far as the request alone tells. Takes anything: what the schema
 * has to say about, it leaves alone.
 */
export function requestFaults(request: unknown): Fault[] {
  return RULES.flatMap((faultsOf) => faultsOf(request));
}

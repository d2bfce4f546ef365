import { DURATION_PATTERN, durationToMs } from '@calls/api-contract/duration';
import { mapMarked } from '@calls/api-contract/marks';
import { StartCallRequest } from '@calls/api-contract/rest/call';
import {
  BACKGROUND_CLIP_NAMES,
  RESERVED_METADATA_PREFIX,
} from '@calls/api-contract/rest/call-setting-values';
import { MAX_DURATION_MARK } from '@calls/foundation/schema/keywords';
import type { Issue } from '@calls/foundation/schema/validator';
import { TTS_VENDORS } from '@calls/providers/tts/tts-vendors';
import { headerIssues } from './header-issues.ts';
import { initialMessageIssues } from './initial-message-issues.ts';
import { isSipHost, isSipOverTls, isTelUri, NO_SIP_TLS, sipTransport, sipUserOf } from './sip-address.ts';
import { sipHeaderIssues } from './sip-headers.ts';
import { valueAt, valuesAt, type ValueAt } from './values-at.ts';

const SIP_OUTGOING = 'medium.sip.outgoing';
const SIP_TRANSPORTS = ['udp', 'tcp', 'tls'];

const BACKGROUND_CLIP = 'backgroundAudio.audioClip';
const CLIP_NAMES: readonly string[] = BACKGROUND_CLIP_NAMES;
const HTTP_URL = /^https?:\/\/\S+$/iu;

/** The member of firstSpeakerSettings for each value; the unspecified value agrees with both. */
const FIRST_SPEAKER_SETTINGS: Readonly<Record<string, string>> = {
  FIRST_SPEAKER_AGENT: 'agent',
  FIRST_SPEAKER_USER: 'user',
};

const DURATION = new RegExp(DURATION_PATTERN);

const RULES = [
  durationIssues,
  joinTimeoutIssues,
  metadataIssues,
  voiceIssues,
  firstSpeakerIssues,
  initialMessageIssues,
  outputMediumIssues,
  languageIssues,
  backgroundIssues,
  sipIssues,
  sipHeaderIssues,
  headerIssues,
  answeringMachineIssues,
];

/**
 * Issues that the schema does not find, as far as they depend on the request alone. Accepts any value; schema violations are not
 * reported.
 */
export function requestIssues(request: unknown): Issue[] {
  return RULES.flatMap((issuesOf) => issuesOf(request));
}

/**
 * Durations that are negative or above the limits that the schema marks. Texts that are not durations are left to the
 * schema.
 */
function durationIssues(body: unknown): Issue[] {
  const issues: Issue[] = [];
  mapMarked(StartCallRequest, MAX_DURATION_MARK, body, (text, path, maxMs) => {
    if (!DURATION.test(text)) return text;
    if (text.startsWith('-')) issues.push({ path, message: 'must not be negative' });
    else if (durationToMs(text) > Number(maxMs)) {
      issues.push({ path, message: `must be at most ${Number(maxMs) / 1000}s` });
    }
    return text;
  });
  return issues;
}

/** No client can join a call in no time. */
function joinTimeoutIssues(body: unknown): Issue[] {
  return valuesAt(body, 'joinTimeout')
    .filter(({ value }) => typeof value === 'string' && /^[0.]+s$/u.test(value))
    .map(({ path }) => ({ path, message: 'must be longer than 0s' }));
}

function metadataIssues(body: unknown): Issue[] {
  return valuesAt(body, 'metadata.*')
    .filter(({ path }) => path.startsWith(`metadata.${RESERVED_METADATA_PREFIX}`))
    .map(({ path }) => ({
      path,
      message: `must not start with "${RESERVED_METADATA_PREFIX}", which is reserved`,
    }));
}

function voiceIssues(body: unknown): Issue[] {
  const isSet = (path: string): boolean => valueAt(body, path) !== undefined;
  const issues: Issue[] = [];
  if (isSet('voice') && isSet('externalVoice')) {
    issues.push({ path: 'externalVoice', message: 'must not be set together with voice' });
  }
  if (isSet('voiceOverrides')) {
    if (isSet('externalVoice')) {
      issues.push({ path: 'voiceOverrides', message: 'must not be set together with externalVoice' });
    } else if (!isSet('voice')) {
      issues.push({ path: 'voiceOverrides', message: 'must not be set without voice' });
    }
  }
  for (const { key, priceFields } of TTS_VENDORS) {
    for (const { path } of priceFields.flatMap((field) => valuesAt(body, `voiceOverrides.${key}.${field}`))) {
      issues.push({ path, message: 'must not be overridden, because it affects the price' });
    }
  }
  return issues;
}

function firstSpeakerIssues(body: unknown): Issue[] {
  const firstSpeaker = valueAt(body, 'firstSpeaker');
  const settings = valueAt(body, 'firstSpeakerSettings');
  if (typeof firstSpeaker !== 'string' || typeof settings !== 'object' || settings === null) return [];
  const named = FIRST_SPEAKER_SETTINGS[firstSpeaker];
  const [chosen] = Object.keys(settings);
  if (named === undefined || chosen === undefined || named === chosen) return [];
  return [{ path: 'firstSpeaker', message: 'must agree with firstSpeakerSettings, or be left out' }];
}

/** Issues of the message for an answering machine. */
function answeringMachineIssues(body: unknown): Issue[] {
  const path = 'answeringMachineDetection';
  const given = valueAt(body, `${path}.message`);
  const hasMessage = typeof given === 'string' && given.trim() !== '';
  const leavesMessage = valueAt(body, `${path}.onMachine`) === 'leave_message';
  if (leavesMessage === hasMessage) return [];
  const message = leavesMessage
    ? 'must not be empty if onMachine is "leave_message"'
    : 'must not be set unless onMachine is "leave_message"';
  return [{ path: `${path}.message`, message }];
}

/** Issues of settings for outgoing calls in other calls. Templates can be for both. */
export function outgoingSettingIssues(body: unknown): Issue[] {
  const path = 'answeringMachineDetection';
  if (valueAt(body, path) === undefined || isOutgoing(valueAt(body, 'medium'))) return [];
  const message = 'needs an outgoing call: set medium.sip.outgoing or medium.telephonyN.outgoing';
  return [{ path, message }];
}

/** Whether a medium places a phone call. */
export function isOutgoing(medium: unknown): boolean {
  return valuesAt(medium, '*.outgoing').some(({ value }) => value !== undefined);
}

/** The mediums that `mediumRestriction` allows; null if all are allowed. */
export function allowedMediums(body: unknown): readonly unknown[] | null {
  const allowed = valueAt(body, 'mediumRestriction.allowedMediums');
  const named = Array.isArray(allowed)
    ? allowed.filter((medium) => medium !== 'MESSAGE_MEDIUM_UNSPECIFIED')
    : [];
  return named.length === 0 ? null : named;
}

function outputMediumIssues(body: unknown): Issue[] {
  const initial = valueAt(body, 'initialOutputMedium');
  if (initial === undefined || initial === 'MESSAGE_MEDIUM_UNSPECIFIED') return [];
  if (allowedMediums(body)?.includes(initial) ?? true) return [];
  return [{ path: 'initialOutputMedium', message: 'must be one of mediumRestriction.allowedMediums' }];
}

/** Rejects values that match the pattern of language tags but are invalid: `en-GB-GB`, `en-a`. */
function languageIssues(body: unknown): Issue[] {
  const tag = valueAt(body, 'languageHint');
  // The schema rejects other values.
  if (typeof tag !== 'string' || !/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/u.test(tag)) return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ path: 'languageHint', message: 'must be a BCP 47 language tag, such as "en-GB"' }];
  }
}

function backgroundIssues(body: unknown): Issue[] {
  const message = `must be the URL of a WAV file, or one of ${CLIP_NAMES.join(', ')}`;
  return valuesAt(body, BACKGROUND_CLIP)
    .filter(({ value: clip }) => typeof clip === 'string' && clip !== '' && !isName(clip) && !isUrl(clip))
    .map(({ path }) => ({ path, message }));
}

/** URLs of clips that are not part of the service. */
export function backgroundUrls(body: unknown): ValueAt[] {
  return valuesAt(body, BACKGROUND_CLIP).filter(({ value }) => typeof value === 'string' && isUrl(value));
}

const isName = (clip: string): boolean => CLIP_NAMES.includes(clip);
const isUrl = (clip: string): boolean => HTTP_URL.test(clip);

/** Issues of an outgoing call over TLS if the media-workers have no TLS. */
export function sipTlsIssues(request: unknown, hasSipTls: boolean): Issue[] {
  const to = valueAt(request, `${SIP_OUTGOING}.to`);
  if (hasSipTls || typeof to !== 'string') return [];
  // A number is called over the transport of `from`.
  const path = `${SIP_OUTGOING}.${isTelUri(to) ? 'from' : 'to'}`;
  const address = valueAt(request, path);
  if (typeof address !== 'string' || !isSipOverTls(address)) return [];
  return [{ path, message: NO_SIP_TLS }];
}

/** Checks the addresses of an outgoing call by SIP. */
function sipIssues(request: unknown): Issue[] {
  const [to, from] = [valueAt(request, `${SIP_OUTGOING}.to`), valueAt(request, `${SIP_OUTGOING}.from`)];
  if (typeof to !== 'string') return [];
  const issues: Issue[] = [];
  const hasTrunk = valueAt(request, `${SIP_OUTGOING}.trunkId`) !== undefined;
  if (!isSipHost(to) && !isTelUri(to) && !(hasTrunk && sipUserOf(to) !== null)) {
    issues.push({
      path: `${SIP_OUTGOING}.to`,
      message: 'must be a SIP address such as sip:desk@example.com, or a tel: URI',
    });
  }
  const transport = sipTransport(to);
  if (transport !== null && !SIP_TRANSPORTS.includes(transport)) {
    issues.push({
      path: `${SIP_OUTGOING}.to`,
      message: `transport must be one of ${SIP_TRANSPORTS.join(', ')}`,
    });
  }
  if (transport === 'udp' && isSipOverTls(to)) {
    issues.push({ path: `${SIP_OUTGOING}.to`, message: 'sips: addresses use TLS, not transport=udp' });
  }
  if (from === undefined && !hasTrunk) {
    issues.push({ path: `${SIP_OUTGOING}.from`, message: 'must be set without trunkId' });
  }
  if (
    typeof from === 'string' &&
    !isSipHost(from) &&
    !(sipUserOf(from) !== null && (hasTrunk || !isTelUri(to)))
  ) {
    const message = isTelUri(to)
      ? 'must be a SIP address such as sip:+4930123456@example.com; the number is dialled at its host'
      : 'must be a SIP address such as sip:+4930123456@example.com, or its user alone';
    issues.push({ path: `${SIP_OUTGOING}.from`, message });
  }
  return issues;
}

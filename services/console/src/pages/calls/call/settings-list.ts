import type { Schemas } from '../../../api/client.ts';
import { durationText } from '../../../components/time-format.ts';
import { durationMsOrNull, mediumText } from '../call-labels.ts';

type Call = Schemas['Call'];

/** The settings of a call in words. Omits settings without meaning for the reader. */
export function settingsList(call: Call): readonly { name: string; value: string }[] {
  const vad = call.vadSettings;
  const settings: [string, string | null | undefined][] = [
    ['Model', call.model],
    ['Temperature', String(call.temperature)],
    ['Voice', call.voice ?? (call.externalVoice ? Object.keys(call.externalVoice)[0] : 'the default')],
    ['Language', call.languageHint],
    ['Key terms', call.keyTerms.join(', ')],
    ['Medium', mediumText(call)],
    ['First speaker', call.firstSpeaker === 'FIRST_SPEAKER_USER' ? 'the user' : 'the agent'],
    ['First response', call.initialOutputMedium === 'MESSAGE_MEDIUM_TEXT' ? 'text' : 'voice'],
    ['Allowed media', call.mediumRestriction?.allowedMediums?.map(mediumName).join(', ')],
    ['Join timeout', timeOf(call.joinTimeout)],
    ['Maximum duration', timeOf(call.maxDuration)],
    ['Message at time limit', call.timeExceededMessage],
    ...call.inactivityMessages.map(({ duration, message }): [string, string] => [
      `After ${timeOf(duration) ?? duration} of silence`,
      message,
    ]),
    ['Silence that ends a turn', timeOf(vad?.turnEndpointDelay)],
    ['Minimum turn', timeOf(vad?.minimumTurnDuration)],
    ['Minimum interruption', timeOf(vad?.minimumInterruptionDuration)],
    ['Speech threshold', vad?.frameActivationThreshold?.toString()],
    ['Phone menus', menusText(call.ivrNavigation)],
    ['Recorded', call.recordingEnabled ? 'yes' : 'no'],
    ['Retention', RETENTION[call.retentionPolicy]],
    ['Admission', call.admissionPreference?.replace('_', ' ')],
    ['Data connection', call.dataConnectionConfig?.websocketUrl],
    ['Background audio', call.backgroundAudio?.audioClip],
    ['Callbacks', call.callbacks ? Object.keys(call.callbacks).join(', ') : null],
    ['Client', call.clientVersion],
  ];
  return settings.flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [{ name, value }],
  );
}

const RETENTION: Readonly<Record<Call['retentionPolicy'], string>> = {
  retain: 'until it is deleted',
  auto_delete: 'until it is billed, then deleted',
  zdr: 'no content',
};

function menusText(menus: Call['ivrNavigation']): string | null {
  if (!menus) return null;
  const { mode = 'detect', promptPause, options = [], silenceLimit } = menus;
  return [
    MENU_MODES[mode],
    ...(promptPause === undefined ? [] : [`prompts end after ${timeOf(promptPause)}`]),
    ...(options.length === 0 ? [] : [`options: ${options.join(', ')}`]),
    ...(silenceLimit === undefined ? [] : [`the model is asked after ${timeOf(silenceLimit)} of silence`]),
  ].join('; ');
}

const MENU_MODES: Readonly<Record<NonNullable<NonNullable<Call['ivrNavigation']>['mode']>, string>> = {
  detect: 'when one is detected',
  on: 'from the beginning',
  off: 'by tool only',
};

function timeOf(duration: string | undefined): string | null {
  const ms = durationMsOrNull(duration);
  if (ms === null) return duration ?? null;
  return ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);
}

function mediumName(medium: string): string {
  return medium.replace('MESSAGE_MEDIUM_', '').toLowerCase();
}

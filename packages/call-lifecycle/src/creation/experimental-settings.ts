import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import type { FirstEvent } from '@calls/store/tables/new-call';

const MAX_NAMED = 10;
const MAX_NAME_CHARACTERS = 64;

/** The call event that names experimental settings without effect (at present all of them); null if the call has none. */
export function experimentalSettingsNote({
  experimentalSettings = {},
}: Pick<CallSettings, 'experimentalSettings'>): FirstEvent | null {
  const names = Object.keys(experimentalSettings);
  if (names.length === 0) return null;
  const shown = names.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME_CHARACTERS).toWellFormed());
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return {
    severity: 'warning',
    type: 'experimental_settings_ignored',
    text: `experimentalSettings has no effect for: ${shown.join(', ')}${more}. This service has no such settings.`,
    extras: { settings: shown },
  };
}

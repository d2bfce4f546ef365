import {
  AgentIcon,
  ChartIcon,
  HomeIcon,
  KeyIcon,
  MicrophoneIcon,
  PhoneIcon,
  VoiceIcon,
  WebhookIcon,
} from '../icons/icons.tsx';

export interface NavEntry {
  readonly path: string;
  readonly label: string;
  readonly Icon: typeof HomeIcon;
}

/** In groups, as the navigation shows them. */
export const navEntries: readonly { label: string; entries: readonly NavEntry[] }[] = [
  {
    label: '',
    entries: [
      { path: '/', label: 'Overview', Icon: HomeIcon },
      { path: '/talk', label: 'Talk', Icon: MicrophoneIcon },
    ],
  },
  {
    label: 'Build',
    entries: [
      { path: '/agents', label: 'Agents', Icon: AgentIcon },
      { path: '/voices', label: 'Voices', Icon: VoiceIcon },
    ],
  },
  {
    label: 'Observe',
    entries: [
      { path: '/calls', label: 'Calls', Icon: PhoneIcon },
      { path: '/usage', label: 'Usage', Icon: ChartIcon },
    ],
  },
  {
    label: 'Connect',
    entries: [
      { path: '/webhooks', label: 'Webhooks', Icon: WebhookIcon },
      { path: '/keys', label: 'API keys', Icon: KeyIcon },
    ],
  },
];

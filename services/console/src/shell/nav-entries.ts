import {
  BookTextIcon,
  BotIcon,
  ChartColumnIcon,
  CpuIcon,
  GaugeIcon,
  HouseIcon,
  KeyRoundIcon,
  ListChecksIcon,
  MicIcon,
  PhoneIcon,
  PhoneForwardedIcon,
  AudioLinesIcon,
  WebhookIcon,
  WrenchIcon,
} from 'lucide-react';

export interface NavEntry {
  readonly path: string;
  readonly label: string;
  readonly Icon: typeof HouseIcon;
}

/** Groups of the navigation. */
export const navEntries: readonly { label: string; entries: readonly NavEntry[] }[] = [
  {
    label: '',
    entries: [
      { path: '/', label: 'Overview', Icon: HouseIcon },
      { path: '/talk', label: 'Talk', Icon: MicIcon },
    ],
  },
  {
    label: 'Build',
    entries: [
      { path: '/agents', label: 'Agents', Icon: BotIcon },
      { path: '/voices', label: 'Voices', Icon: AudioLinesIcon },
      { path: '/tools', label: 'Tools', Icon: WrenchIcon },
      { path: '/knowledge', label: 'Knowledge', Icon: BookTextIcon },
    ],
  },
  {
    label: 'Observe',
    entries: [
      { path: '/calls', label: 'Calls', Icon: PhoneIcon },
      { path: '/usage', label: 'Usage', Icon: ChartColumnIcon },
      { path: '/engines', label: 'Engines', Icon: CpuIcon },
    ],
  },
  {
    label: 'Call out',
    entries: [
      { path: '/batches', label: 'Batches', Icon: ListChecksIcon },
      { path: '/throttles', label: 'Throttles', Icon: GaugeIcon },
    ],
  },
  {
    label: 'Connect',
    entries: [
      { path: '/phone', label: 'Phone', Icon: PhoneForwardedIcon },
      { path: '/webhooks', label: 'Webhooks', Icon: WebhookIcon },
      { path: '/keys', label: 'Team and keys', Icon: KeyRoundIcon },
    ],
  },
];

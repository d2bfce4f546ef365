import type { ReactNode, SVGProps } from 'react';

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'children'> {
  /** Of the square, px. */
  size?: number;
}

/** Drawn on a field of 24, in the colour of the text. Decorative: what they stand for is said in words beside them. */
function icon(drawing: ReactNode) {
  return function Icon({ size = 18, ...rest }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...rest}
      >
        {drawing}
      </svg>
    );
  };
}

export const HomeIcon = icon(
  <path d="M4 11.2 12 4l8 7.2V19a1 1 0 0 1-1 1h-4.5v-5.5h-5V20H5a1 1 0 0 1-1-1z" />,
);
export const MicrophoneIcon = icon(
  <>
    <rect x="9" y="3" width="6" height="11" rx="3" />
    <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />
  </>,
);
export const MicrophoneOffIcon = icon(
  <>
    <path d="M15 10.5V6a3 3 0 0 0-5.8-1.1M9 9.5V11a3 3 0 0 0 4.6 2.5M5.5 11.5a6.5 6.5 0 0 0 10.3 5.3M18.5 11.5a6.4 6.4 0 0 1-.7 2.9M12 18v3M4 4l16 16" />
  </>,
);
export const SpeakerIcon = icon(
  <path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a7.6 7.6 0 0 1 0 11" />,
);
export const SpeakerOffIcon = icon(<path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5" />);
export const AgentIcon = icon(
  <>
    <rect x="4" y="8" width="16" height="11" rx="3" />
    <path d="M12 8V4.5M9 13v1.2M15 13v1.2M2 12.5v3M22 12.5v3" />
  </>,
);
export const VoiceIcon = icon(<path d="M3 10.5v3M7.5 7v10M12 4v16M16.5 8v8M21 10.5v3" />);
export const PhoneIcon = icon(
  <path d="M6.2 4h2.6a1 1 0 0 1 1 .8l.7 3a1 1 0 0 1-.3 1L8.6 10.3a12 12 0 0 0 5.1 5.1l1.5-1.6a1 1 0 0 1 1-.3l3 .7a1 1 0 0 1 .8 1v2.6A2.2 2.2 0 0 1 17.8 20 13.8 13.8 0 0 1 4 6.2 2.2 2.2 0 0 1 6.2 4z" />,
);
export const ChartIcon = icon(<path d="M4 4v15a1 1 0 0 0 1 1h15M8.5 16v-4M13 16V8M17.5 16v-6" />);
export const WebhookIcon = icon(
  <>
    <circle cx="6" cy="17" r="2.5" />
    <circle cx="18" cy="17" r="2.5" />
    <circle cx="12" cy="6.5" r="2.5" />
    <path d="M10.8 8.7 7.3 14.9M13.2 8.7l3.5 6.2M8.5 17h7" />
  </>,
);
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15.5" r="4" />
    <path d="m11 12.5 8-8M16 7.5l2.5 2.5M13.5 10l1.5 1.5" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4 4" />
  </>,
);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const MinusIcon = icon(<path d="M5 12h14" />);
export const TrashIcon = icon(
  <path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.800 12.5h9.4L17.5 7M10 11v5M14 11v5" />,
);
export const EditIcon = icon(<path d="M4.5 19.5h4L19 9l-4-4L4.5 15.5zM12.5 7.5l4 4" />);
export const CopyIcon = icon(
  <>
    <rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2" />
    <path d="M15.5 8.5V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7.5a2 2 0 0 0 2 2h2.5" />
  </>,
);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);
export const ChevronRightIcon = icon(<path d="m9.5 6 6 6-6 6" />);
export const ChevronDownIcon = icon(<path d="m6 9.5 6 6 6-6" />);
export const ArrowLeftIcon = icon(<path d="M20 12H4.5M11 5.5 4.5 12l6.5 6.5" />);
export const ExternalIcon = icon(
  <path d="M13.5 4.5h6v6M19.5 4.5l-9 9M17.5 14v4.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1H10" />,
);
export const RefreshIcon = icon(<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9M19.5 4.5V9H15" />);
export const AlertIcon = icon(<path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17.2v.1" />);
export const InfoIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 11v5M12 7.8v.1" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />
  </>,
);
export const MoonIcon = icon(<path d="M19.5 14.5A8 8 0 1 1 9.5 4.5a6.3 6.3 0 0 0 10 10z" />);
export const ScreenIcon = icon(
  <>
    <rect x="3" y="4.5" width="18" height="12" rx="2" />
    <path d="M9 20h6M12 16.5V20" />
  </>,
);
export const SignOutIcon = icon(
  <path d="M14.5 8V5.5a1 1 0 0 0-1-1h-8a1 1 0 0 0-1 1v13a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1V16M10 12h10.5M17 8.5l3.5 3.5-3.5 3.5" />,
);
export const PlayIcon = icon(<path d="M8 5v14l11-7z" fill="currentColor" />);
export const PauseIcon = icon(<path d="M9 5.5v13M15 5.5v13" strokeWidth={3} />);
export const StopIcon = icon(<rect x="6.5" y="6.5" width="11" height="11" rx="1.5" fill="currentColor" />);
export const DownloadIcon = icon(<path d="M12 4.5v10.5M7.5 11l4.5 4.5 4.5-4.5M4.5 19.5h15" />);
export const DotsIcon = icon(<path d="M5.5 12h.01M12 12h.01M18.5 12h.01" strokeWidth={2.8} />);
export const BookIcon = icon(
  <path d="M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2 2-1.5 4.5-2 8-2v-13c-3.5 0-6 .5-8 2zM12 6.5v13" />,
);
export const ToolIcon = icon(
  <path d="M14.5 6.5a4 4 0 0 1 5.2-1.2l-2.7 2.7.9 2.1 2.1.9 1-1a4 4 0 0 1-5.8 4.2L8.5 20.9a2 2 0 0 1-3.4-3.4l6.8-6.8a4 4 0 0 1 2.6-4.2z" />,
);
export const ClockIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7v5.2l3.3 2" />
  </>,
);
export const EyeIcon = icon(
  <>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="2.75" />
  </>,
);
export const EyeOffIcon = icon(
  <path d="M9.9 5.8a8.4 8.4 0 0 1 2.1-.3c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-2.7 3.4M6.3 7.4A15.3 15.3 0 0 0 2.5 12S6 18.5 12 18.5a8.7 8.7 0 0 0 4-1M10 10.1a2.75 2.75 0 0 0 3.9 3.9M4 4l16 16" />,
);
export const HangUpIcon = icon(
  <path d="M3.2 14.9c-.6-.6-.6-1.6 0-2.2a12.6 12.6 0 0 1 17.6 0c.6.6.6 1.6 0 2.2l-1.7 1.7a1 1 0 0 1-1.2.2l-2.6-1.5a1 1 0 0 1-.5-.9v-1.9a11 11 0 0 0-5.6 0v1.9a1 1 0 0 1-.5.9l-2.6 1.5a1 1 0 0 1-1.2-.2z" />,
);
export const SendIcon = icon(<path d="M4.5 12h14M12.5 6l6.5 6-6.5 6" />);
export const SlidersIcon = icon(
  <>
    <path d="M4 7.5h9M18.5 7.5H20M4 16.5h2M11.5 16.5H20" />
    <circle cx="15.75" cy="7.5" r="2.4" />
    <circle cx="8.75" cy="16.5" r="2.4" />
  </>,
);

import {
  createTheme,
  type ActionIconFactory,
  type AlertFactory,
  type BadgeFactory,
  type ButtonFactory,
  type CardFactory,
  type CSSVariablesResolver,
  type ExtendComponent,
  type InputWrapperFactory,
  type MantineColorsTuple,
  type ModalFactory,
  type PaperFactory,
  type SegmentedControlFactory,
  type TooltipFactory,
} from '@mantine/core';

/** The accent colour. Shade 7 has a contrast of 5.5:1 with white text, shade 4 of 8:1 with the dark background. */
const pine: MantineColorsTuple = [
  '#effaf8',
  '#d5f2ec',
  '#a9e4da',
  '#73d0c3',
  '#43b8aa',
  '#1f9c8f',
  '#13857a',
  '#0f6f66',
  '#0e5a54',
  '#0c4a46',
];

/** A slightly green neutral, to match the accent. */
const gray: MantineColorsTuple = [
  '#f7f9f8',
  '#eff2f1',
  '#e3e8e6',
  '#d3dad7',
  '#b4bdb9',
  '#8b9591',
  '#66706c',
  '#4a5450',
  '#323a37',
  '#1c2321',
];

const dark: MantineColorsTuple = [
  '#dfe5e3',
  '#b9c2bf',
  '#929c99',
  '#6b7673',
  '#3b4442',
  '#2b3331',
  '#212826',
  '#171c1b',
  '#111514',
  '#0b0e0d',
];

const SYSTEM_FONT =
  "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
const MONO_FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace";

/** Typed by hand: `Modal.extend` and the like would put the components into the first script. */
const COMPONENTS = {
  Alert: {
    defaultProps: { variant: 'outline' },
    // Replaces the default colour, which has too little contrast with this background.
    styles: { title: { color: 'var(--mantine-color-text)' } },
  } satisfies ExtendComponent<AlertFactory>,
  ActionIcon: {
    defaultProps: { variant: 'subtle', color: 'gray' },
  } satisfies ExtendComponent<ActionIconFactory>,
  Badge: { defaultProps: { variant: 'light', radius: 'sm' } } satisfies ExtendComponent<BadgeFactory>,
  Button: { defaultProps: { size: 'sm' } } satisfies ExtendComponent<ButtonFactory>,
  Card: {
    defaultProps: { withBorder: true, padding: 'lg', radius: 'lg' },
  } satisfies ExtendComponent<CardFactory>,
  Paper: { defaultProps: { radius: 'lg' } } satisfies ExtendComponent<PaperFactory>,
  InputWrapper: {
    defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
  } satisfies ExtendComponent<InputWrapperFactory>,
  Modal: {
    defaultProps: { centered: true, radius: 'lg', overlayProps: { backgroundOpacity: 0.45 } },
  } satisfies ExtendComponent<ModalFactory>,
  SegmentedControl: {
    styles: { root: { background: 'var(--calls-hover)', flexWrap: 'wrap', maxWidth: '100%' } },
  } satisfies ExtendComponent<SegmentedControlFactory>,
  Tooltip: {
    defaultProps: { openDelay: 250, withArrow: true, events: { hover: true, focus: true, touch: true } },
  } satisfies ExtendComponent<TooltipFactory>,
};

export const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 7 },
  colors: { pine, gray, dark },
  black: gray[9],
  fontFamily: SYSTEM_FONT,
  fontFamilyMonospace: MONO_FONT,
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '11px', xl: '18px' },
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.35', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.45' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2.25rem' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: COMPONENTS,
});

/** Colours by purpose; global.css and the pages use these names. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-error': '#b42318',
    '--mantine-color-placeholder': gray[6],
    '--calls-ground': gray[0],
    '--calls-surface': '#ffffff',
    '--calls-line': gray[2],
    '--calls-hover': gray[1],
    '--calls-accent-text': pine[7],
    '--calls-accent-soft': pine[0],
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-error': '#ff8f80',
    '--mantine-color-placeholder': dark[2],
    '--calls-ground': dark[8],
    '--calls-surface': dark[7],
    '--calls-line': dark[5],
    '--calls-hover': dark[6],
    '--calls-accent-text': pine[3],
    '--calls-accent-soft': '#12302c',
  },
});

const STEP_MS = 5000;
const SMALL_STEP_MS = 1000;
export const ZOOM_STEP = 2;

export type TimelineAction =
  | { do: 'toggle' }
  | { do: 'move'; byMs: number }
  | { do: 'go'; to: 'start' | 'end' }
  | { do: 'zoom'; factor: number };

/** The action of a key on the timeline; null if it has none. */
export function timelineKey(key: string, isShifted: boolean): TimelineAction | null {
  const stepMs = isShifted ? SMALL_STEP_MS : STEP_MS;
  switch (key) {
    case ' ':
      return { do: 'toggle' };
    case 'ArrowLeft':
    case 'ArrowDown':
      return { do: 'move', byMs: -stepMs };
    case 'ArrowRight':
    case 'ArrowUp':
      return { do: 'move', byMs: stepMs };
    case 'Home':
      return { do: 'go', to: 'start' };
    case 'End':
      return { do: 'go', to: 'end' };
    case '+':
    case '=':
      return { do: 'zoom', factor: ZOOM_STEP };
    case '-':
      return { do: 'zoom', factor: 1 / ZOOM_STEP };
    default:
      return null;
  }
}

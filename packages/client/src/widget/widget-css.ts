/** The style sheet of the widget. Pages set the `--calls-…` properties, or style its parts. */
export const WIDGET_CSS = `
:host {
  color-scheme: light dark;
  --accent: var(--calls-accent, light-dark(#0b5cad, #7cbcff));
  --on-accent: var(--calls-on-accent, light-dark(#fff, #06182b));
  --danger: var(--calls-danger, light-dark(#b3261e, #ff8a80));
  --on-danger: var(--calls-on-danger, light-dark(#fff, #2b0603));
  --background: var(--calls-background, light-dark(#fff, #16202b));
  --text: var(--calls-text, light-dark(#16202b, #eef3f8));
  --border: var(--calls-border, light-dark(#c6d0da, #3b4a59));
  display: block;
  font: var(--calls-font, 1rem/1.4 system-ui, sans-serif);
}
:host([theme='light']) { color-scheme: light; }
:host([theme='dark']) { color-scheme: dark; }
:host([floating]) {
  position: fixed;
  inset-block-end: max(1rem, env(safe-area-inset-bottom));
  inset-inline-end: 1rem;
  z-index: var(--calls-z-index, 1000);
  inline-size: min(20rem, calc(100vw - 2rem));
}
:host([hidden]), [hidden] { display: none !important; }
.panel {
  box-sizing: border-box;
  padding: 1rem;
  border: 1px solid var(--border);
  border-radius: var(--calls-radius, 1rem);
  background: var(--background);
  color: var(--text);
}
:host([floating]) .panel { box-shadow: 0 0.5rem 2rem rgb(0 0 0 / 25%); }
.status { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.meters {
  display: grid;
  grid-template-columns: auto 1fr;
  align-items: center;
  gap: 0.25rem 0.75rem;
  margin-block-end: 0.75rem;
  font-size: 0.875em;
}
.meter { block-size: 0.5rem; border-radius: 1rem; overflow: hidden; background: var(--border); }
.meter::before {
  content: '';
  display: block;
  block-size: 100%;
  background: var(--accent);
  transform: scaleX(var(--level, 0));
  transform-origin: left;
}
.meter.microphone::before { background: var(--text); }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
button {
  flex: 1 1 auto;
  min-block-size: 2.75rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--border);
  border-radius: calc(var(--calls-radius, 1rem) * 0.6);
  background: transparent;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
.main { border-color: transparent; background: var(--accent); color: var(--on-accent); font-weight: 600; }
[data-phase='talking'] .main { background: var(--danger); color: var(--on-danger); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) {
  .meter::before { background: Highlight; }
}
`;

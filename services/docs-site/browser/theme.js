// Runs before the page is shown, so that the page does not flash in the other colours.
const STORED = 'docs-theme';
const root = document.documentElement;
const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

/** Shows `light` or `dark`. Until the reader chooses one, the system's setting applies. */
function show(theme) {
  root.style.colorScheme = theme;
  const button = document.getElementById('theme');
  if (button) button.textContent = theme === 'dark' ? 'Light' : 'Dark';
}

let theme = localStorage.getItem(STORED) === 'dark' ? 'dark' : preferred;
if (localStorage.getItem(STORED) === 'light') theme = 'light';
show(theme);

document.addEventListener('DOMContentLoaded', () => {
  const button = document.getElementById('theme');
  if (!button) return;
  button.hidden = false;
  show(theme);
  button.addEventListener('click', () => {
    theme = theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem(STORED, theme);
    show(theme);
  });
});

/** Copies the selection; by execCommand in an insecure context, which has no navigator.clipboard. */
async function copy(terminal) {
  const text = terminal.getSelection();
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  terminal.focus();
}

/**
 * Ctrl-Shift-C copies; Ctrl-C and Cmd-C copy where there is a selection. Ctrl-Shift-V, Shift-Insert and Cmd-V paste: the
 * browser does, where the terminal does not handle the keys.
 */
export function useClipboard(terminal) {
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown') return true;
    const key = event.key.toLowerCase();
    const command = event.ctrlKey || event.metaKey;
    if (command && key === 'c' && (event.shiftKey || terminal.hasSelection())) {
      event.preventDefault();
      if (terminal.hasSelection()) void copy(terminal).then(() => terminal.clearSelection());
      return false;
    }
    const pastes = (command && event.shiftKey && key === 'v') || (event.shiftKey && key === 'insert');
    return !pastes;
  });
}

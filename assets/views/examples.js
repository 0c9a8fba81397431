// Short names of texts: a press puts the text into a box, as if it had been typed.
// props: box: its id; texts: [text, …]
actions.fill = (button) => {
  const box = document.querySelector(`#${props.box} :is(textarea, input)`);
  box.value = props.texts[button.dataset.i] ?? ''; // Clear has no number
  box.dispatchEvent(new Event('input', { bubbles: true }));
};

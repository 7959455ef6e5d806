"use strict";
// Choices of a list take effect at once.
for (const field of document.querySelectorAll(".filter select")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}

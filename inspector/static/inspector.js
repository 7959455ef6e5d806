"use strict";
// Choices of a list take effect at once.
for (const field of document.querySelectorAll(".filter select")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}

// Decisions on templates.
for (const button of document.querySelectorAll("[data-decide]")) {
  button.addEventListener("click", async () => {
    const {site, template} = button.parentElement.dataset;
    const outcome = document.getElementById("outcome");
    outcome.className = "problem";
    try {
      const answer = await fetch(`${document.body.dataset.root}/decide`, {
        method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({site, [button.dataset.decide]: [template]}),
      });
      if (answer.ok) location.reload();
      else outcome.textContent = (await answer.json()).error;
    } catch {
      outcome.textContent = "The inspector does not answer here any more. Open the address that scrapy inspect prints.";
    }
  });
}

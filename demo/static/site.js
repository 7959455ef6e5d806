document.querySelectorAll('[data-toggle]').forEach(function (button) {
  button.addEventListener('click', function () {
    var target = document.getElementById(button.dataset.toggle);
    target.hidden = !target.hidden;
  });
});

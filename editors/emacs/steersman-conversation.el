;;; steersman-conversation.el --- A conversation in a buffer  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; What the server tells of its runs, as a text that grows: prompts, streamed answers, one line a tool call with its
;; result folded behind it.  Shows only; whatever is done about a conversation is done by steersman.el.

;;; Code:

(require 'cl-lib)
(require 'steersman-connection)

(defface steersman-prompt '((t :inherit font-lock-keyword-face :weight bold))
  "What the person said.")
(defface steersman-tool '((t :inherit font-lock-comment-face))
  "A tool call.")
(defface steersman-failure '((t :inherit error))
  "What went wrong.")
(defface steersman-note '((t :inherit shadow))
  "What is said about a run.")

(defvar-local steersman-conversation-connection nil "The connection this conversation is on.")
(defvar-local steersman-conversation-session nil "The session's id.")
(defvar-local steersman-conversation-running nil "Whether a run is at work here.")
(defvar-local steersman-conversation--tentative nil
  "Where the text begins that is not recorded yet, or nil.")
(defvar-local steersman-conversation--calls nil
  "Alist from call ids to markers at the end of their lines.")

(defvar-keymap steersman-conversation-mode-map
  :doc "Keys in a conversation."
  :parent special-mode-map
  "i" #'steersman-reply
  "RET" #'steersman-reply
  "TAB" #'steersman-conversation-toggle
  "g" nil
  "C-c C-c" #'steersman-stop
  "C-c C-a" #'steersman-answer)

(autoload 'steersman-reply "steersman" nil t)
(autoload 'steersman-stop "steersman" nil t)
(autoload 'steersman-answer "steersman-question" nil t)

(define-derived-mode steersman-conversation-mode special-mode "Steersman"
  "Major mode for a conversation with Steersman.
\\{steersman-conversation-mode-map}"
  (buffer-disable-undo)
  (setq-local word-wrap t
              truncate-lines nil
              line-move-visual t)
  (add-to-invisibility-spec '(steersman . t)))

(defun steersman-conversation-find (session)
  "Return the buffer of the conversation SESSION, or nil."
  (seq-find (lambda (buffer) (equal session (buffer-local-value 'steersman-conversation-session buffer)))
            (buffer-list)))

(defun steersman-conversation-get (connection session)
  "Return the buffer of SESSION on CONNECTION, made when there is none."
  (let ((buffer (or (steersman-conversation-find session)
                    (generate-new-buffer
                     (format "*Steersman %s*"
                             (file-name-nondirectory
                              (directory-file-name (steersman-connection-root connection))))))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'steersman-conversation-mode)
        (steersman-connection-safely (steersman-conversation-mode)))
      (setq steersman-conversation-connection connection
            steersman-conversation-session session
            default-directory (steersman-connection-root connection)))
    buffer))

;;; Growing

(defmacro steersman-conversation--append (&rest body)
  "Run BODY at the end of the current buffer.
Windows and points that are there follow."
  (declare (indent 0) (debug t))
  `(let ((inhibit-read-only t)
         (at-end (eobp))
         (windows (seq-filter (lambda (window) (= (window-point window) (point-max)))
                              (get-buffer-window-list nil nil t))))
     (save-excursion
       (goto-char (point-max))
       ,@body)
     (when at-end (goto-char (point-max)))
     (dolist (window windows)
       (set-window-point window (point-max)))))

(defun steersman-conversation--insert (text &optional face)
  "Insert TEXT at the end, in FACE."
  (steersman-conversation--append (insert (if face (propertize text 'face face) text))))

(defun steersman-conversation--paragraph (text &optional face)
  "Insert TEXT at the end, in FACE, as a paragraph of its own."
  (steersman-conversation--insert
   (concat (cond ((= (point-min) (point-max)) "")
                 ((eq (char-before (point-max)) ?\n) "\n")
                 (t "\n\n"))))
  (steersman-conversation--insert text face)
  (steersman-conversation--insert "\n"))

(defun steersman-conversation--prompt (text)
  "Show the person's TEXT; what the model is told of the place is folded."
  (let ((context (string-search "\n\n<context>\n" text)))
    (steersman-conversation--paragraph
     (concat (propertize (concat "» " (substring text 0 context)) 'face 'steersman-prompt)
             (and context
                  (propertize (substring text context) 'face 'steersman-tool 'invisible 'steersman))))))

(defun steersman-conversation--stream (text)
  "Show TEXT, which may still turn out to be void."
  (unless steersman-conversation--tentative
    (setq steersman-conversation--tentative (copy-marker (point-max)))
    (unless (= (point-min) (point-max))
      (steersman-conversation--insert "\n")))
  (steersman-conversation--insert text))

(defun steersman-conversation--discard ()
  "Take back what is tentative."
  (when steersman-conversation--tentative
    (let ((inhibit-read-only t))
      (delete-region steersman-conversation--tentative (point-max)))
    (setq steersman-conversation--tentative nil)))

(defun steersman-conversation--answer (text)
  "The model's recorded message is TEXT."
  (steersman-conversation--discard)
  (unless (string-blank-p text)
    (steersman-conversation--paragraph (string-trim-right text))))

(defun steersman-conversation--call (id tool title)
  "Begin or refine the line of the call ID: TOOL and a TITLE."
  (let ((line (concat "▸ " (if (string-blank-p (or title "")) tool (concat tool "  " title)))))
    (if-let* ((end (alist-get id steersman-conversation--calls nil nil #'equal)))
        (let ((inhibit-read-only t))
          (save-excursion
            (goto-char end)
            (delete-region (pos-bol) end)
            (insert (propertize line 'face 'steersman-tool))))
      (steersman-conversation--append
        (unless (or (bobp) (eq (char-before) ?\n)) (insert "\n"))
        (when (steersman-conversation--after-text-p) (insert "\n"))
        (insert (propertize line 'face 'steersman-tool))
        (push (cons id (point-marker)) steersman-conversation--calls)
        (insert "\n"))
      (set-marker-insertion-type (cdar steersman-conversation--calls) t))))

(defun steersman-conversation--after-text-p ()
  "Whether the line before point is no tool call."
  (and (not (bobp))
       (not (eq (get-text-property (max (point-min) (- (point) 2)) 'face) 'steersman-tool))))

(defun steersman-conversation--result (id content failed)
  "The call ID has the result CONTENT; FAILED when it is an error."
  (when-let* ((end (alist-get id steersman-conversation--calls nil nil #'equal))
              (inhibit-read-only t))
    (save-excursion
      (goto-char end)
      (insert (propertize (if failed
                              (concat "  ✗ " (car (split-string content "\n")))
                            "  ✓")
                          'face (if failed 'steersman-failure 'steersman-tool)))
      (unless (string-blank-p content)
        (insert (propertize (concat "\n" (replace-regexp-in-string "^" "    " (string-trim-right content)))
                            'face 'steersman-tool
                            'invisible 'steersman))))
    (setf (alist-get id steersman-conversation--calls nil t #'equal) nil)))

(defun steersman-conversation-toggle ()
  "Show or hide the results of tools."
  (interactive nil steersman-conversation-mode)
  (if (assq 'steersman buffer-invisibility-spec)
      (remove-from-invisibility-spec '(steersman . t))
    (add-to-invisibility-spec '(steersman . t)))
  (force-window-update (current-buffer)))

;;; What happens

(cl-defgeneric steersman-conversation-take (_type _event)
  "Show EVENT, of TYPE, in the current buffer; most need not be shown."
  nil)

(cl-defmethod steersman-conversation-take ((_type (eql run_started)) _event)
  "A run is at work."
  (setq steersman-conversation-running t))

(cl-defmethod steersman-conversation-take ((_type (eql user_message)) event)
  "Show the prompt in EVENT."
  (steersman-conversation--prompt (plist-get event :text)))

(cl-defmethod steersman-conversation-take ((_type (eql text_delta)) event)
  "Show the piece of text in EVENT."
  (steersman-conversation--stream (plist-get event :text)))

(cl-defmethod steersman-conversation-take ((_type (eql stream_discarded)) _event)
  "What was streamed is void."
  (steersman-conversation--discard))

(cl-defmethod steersman-conversation-take ((_type (eql assistant_message)) event)
  "Show the recorded message in EVENT."
  (steersman-conversation--answer (plist-get event :content)))

(cl-defmethod steersman-conversation-take ((_type (eql tool_call)) event)
  "Show the call in EVENT."
  (steersman-conversation--call (plist-get event :callId) (plist-get event :tool) nil))

(cl-defmethod steersman-conversation-take ((_type (eql approval_requested)) event)
  "Show what the call in EVENT is about."
  (steersman-conversation--call (plist-get event :callId) (plist-get event :tool) (plist-get event :title)))

(cl-defmethod steersman-conversation-take ((_type (eql tool_started)) event)
  "Show what the call in EVENT is about."
  (steersman-conversation--call (plist-get event :callId) (plist-get event :tool) (plist-get event :title)))

(cl-defmethod steersman-conversation-take ((_type (eql tool_result)) event)
  "Show the result in EVENT."
  (steersman-conversation--result (plist-get event :callId) (plist-get event :content)
                                  (eq t (plist-get event :isError))))

(cl-defmethod steersman-conversation-take ((_type (eql retry_waiting)) event)
  "Show the wait in EVENT."
  (steersman-conversation--paragraph (format "(%s; trying again in %s s)"
                                             (plist-get event :reason) (plist-get event :seconds))
                                     'steersman-note))

(cl-defmethod steersman-conversation-take ((_type (eql warning)) event)
  "Show the warning in EVENT."
  (steersman-conversation--paragraph (plist-get event :message) 'steersman-note))

(cl-defmethod steersman-conversation-take ((_type (eql run_ended)) event)
  "Show how the run in EVENT ended."
  (steersman-conversation--discard)
  (setq steersman-conversation-running nil
        steersman-conversation--calls nil)
  (if-let* ((error (plist-get event :error)))
      (steersman-conversation--paragraph (plist-get error :message) 'steersman-failure)
    (steersman-conversation--paragraph (steersman-conversation--ending event) 'steersman-note)
    (when-let* ((undelivered (append (plist-get (plist-get event :result) :undelivered) nil)))
      (steersman-conversation--paragraph (concat "Not delivered: " (string-join undelivered "; ")) 'steersman-note))))

(defun steersman-conversation--ending (event)
  "Return how the run in EVENT ended, in words."
  (let* ((result (plist-get event :result))
         (turns (or (plist-get result :turns) 0))
         (files (length (plist-get result :changes))))
    (concat (pcase (plist-get event :stopReason)
              ("aborted" "stopped")
              (reason (string-replace "_" " " reason)))
            (format " · %d turn%s" turns (if (= turns 1) "" "s"))
            (if (> files 0) (format " · %d file%s changed" files (if (= files 1) "" "s")) ""))))

(defun steersman-conversation-show-history (messages)
  "Show the recorded MESSAGES in the current buffer, instead of what is there."
  (let ((inhibit-read-only t))
    (erase-buffer))
  (setq steersman-conversation--tentative nil
        steersman-conversation--calls nil)
  (mapc #'steersman-conversation--remember messages)
  (setq steersman-conversation--calls nil)
  (goto-char (point-max)))

(defun steersman-conversation--remember (message)
  "Show the recorded MESSAGE."
  (let ((content (plist-get message :content)))
    (pcase (plist-get message :role)
      ("user" (steersman-conversation--prompt content))
      ("assistant"
       (steersman-conversation--answer content)
       (mapc (lambda (call)
               (steersman-conversation--call (plist-get call :id) (plist-get call :name) nil))
             (plist-get message :toolCalls)))
      ("tool" (steersman-conversation--result (plist-get message :toolCallId) content
                                              (eq t (plist-get message :isError)))))))

(provide 'steersman-conversation)

;;; steersman-conversation.el ends here

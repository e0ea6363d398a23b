package dev.mobilebert.demo

import android.content.Intent
import android.content.pm.ActivityInfo
import android.net.Uri
import android.os.Parcel
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.lifecycle.ViewModelProvider
import java.io.File
import kotlin.test.assertEquals
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowToast

@RunWith(RobolectricTestRunner::class)
class IntentsTest {
    @get:Rule
    val rule = createEmptyComposeRule()
    private val application = TestApplication.current

    /** The activity that Android opens; fails unless there is one, which others may open. */
    private fun opened(intent: Intent): String =
        application.packageManager.queryIntentActivities(intent.setPackage(application.packageName), 0)
            .single { it.activityInfo.exported }.activityInfo.name

    @Test
    fun theLauncherOpensTheApp() {
        val intent = Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER)
        assertEquals(MainActivity::class.java.name, opened(intent))
    }

    @Test
    fun aSharedTextIsThePassage() {
        val intent = Intent(Intent.ACTION_SEND).setType("text/plain")
            .putExtra(Intent.EXTRA_TEXT, "Shared by another app.")
        assertEquals(MainActivity::class.java.name, opened(intent))
        val demo = Demo(rule, intent)
        demo.sees("Shared by another app.")
        demo.show(Use.FIND)
        demo.sees("Shared by another app.")
    }

    @Test
    fun aSelectedTextIsThePassage() {
        val intent = Intent(Intent.ACTION_PROCESS_TEXT).setType("text/plain")
            .putExtra(Intent.EXTRA_PROCESS_TEXT, "Selected in another app.")
        assertEquals(MainActivity::class.java.name, opened(intent))
        Demo(rule, intent).sees("Selected in another app.")
    }

    @Test
    fun theNextTextIsShownByTheSameScreens() {
        val intent = Intent(Intent.ACTION_PROCESS_TEXT).setType("text/plain")
            .putExtra(Intent.EXTRA_PROCESS_TEXT, "Selected later.")
        // Two of them would share their files.
        assertEquals(ActivityInfo.LAUNCH_SINGLE_TASK, application.packageManager
            .queryIntentActivities(Intent(intent).setPackage(application.packageName), 0)
            .single().activityInfo.launchMode)
        val demo = Demo(rule)
        demo.tap("Edit")
        demo.tapSymbol("About the model")
        demo.receive(intent)
        demo.sees("Selected later.")
        demo.sees("Edit")
    }

    @Test
    fun aSharedFileIsThePassage() {
        val file = Uri.parse("content://com.example.files/notes.txt")
        shadowOf(application.contentResolver)
            .registerInputStream(file, "Written in a file.".byteInputStream())
        val demo = Demo(rule, Intent(Intent.ACTION_SEND).setType("text/plain")
            .putExtra(Intent.EXTRA_STREAM, file))
        demo.sees("Written in a file.")
    }

    @Test
    fun aSharedFileDoesNotWaitForTheModels() {
        val file = Uri.parse("content://com.example.files/notes.txt")
        shadowOf(application.contentResolver)
            .registerInputStream(file, "Written in a file.".byteInputStream())
        application.worker.isHeld = true
        val demo = Demo(rule, Intent(Intent.ACTION_SEND).setType("text/plain")
            .putExtra(Intent.EXTRA_STREAM, file))
        demo.sees("Written in a file.")
    }

    @Test
    fun aFileThatCannotBeReadIsSaidToBe() {
        val own = File(application.filesDir, "own.txt").apply { writeText("The app's own.") }
        val picture = Uri.parse("content://com.example.files/picture")
        shadowOf(application.contentResolver).registerInputStream(picture,
            byteArrayOf('a'.code.toByte(), 0xff.toByte(), 'b'.code.toByte()).inputStream())
        val gone = Uri.parse("content://com.example.files/gone")
        for (file in listOf(Uri.fromFile(own), gone, picture)) {
            ShadowToast.reset()
            val demo = Demo(rule, Intent(Intent.ACTION_SEND).setType("text/plain")
                .putExtra(Intent.EXTRA_STREAM, file))
            assertEquals("The file that was shared cannot be read as text.",
                ShadowToast.getTextOfLatestToast())
            demo.sees("The town clock of Orsa")
            demo.leave()
        }
    }

    @Test
    fun ofATextThatIsTooLongTheBeginningIsTakenAndThatIsSaid() {
        val file = Uri.parse("content://com.example.files/books.txt")
        val most = "word ".repeat(400_000)
        for (more in listOf("", "w")) {
            ShadowToast.reset()
            shadowOf(application.contentResolver)
                .registerInputStream(file, (most + more).byteInputStream())
            val demo = Demo(rule, Intent(Intent.ACTION_SEND).setType("text/plain")
                .putExtra(Intent.EXTRA_STREAM, file))
            val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
            assertEquals(most, model.passage.value)
            assertEquals(
                if (more == "") null
                else "The text that was shared is too long: the app took its first 2,000,000 characters.",
                ShadowToast.getTextOfLatestToast())
            demo.leave()
        }
    }

    @Test
    fun aLongTextIsNotCutInTheMiddleOfACharacter() {
        val file = Uri.parse("content://com.example.files/book.txt")
        val most = "a".repeat(1_999_999)
        shadowOf(application.contentResolver)
            .registerInputStream(file, "$most😀".byteInputStream())
        val demo = Demo(rule, Intent(Intent.ACTION_SEND).setType("text/plain")
            .putExtra(Intent.EXTRA_STREAM, file))
        val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
        assertEquals(most.length, model.passage.value.length)
    }

    @Test
    fun aLongTextIsClassifiedByItsBeginningAndThatIsSaid() {
        // The second has few tokens, and the app cuts it.
        for (long in listOf("the harbour ".repeat(5_000), "x".repeat(20_000) + " the harbour")) {
            val demo = Demo(rule, Intent(Intent.ACTION_SEND).setType("text/plain")
                .putExtra(Intent.EXTRA_TEXT, long))
            demo.show(Use.CLASSIFY)
            demo.pause(400)
            demo.sees("The text is longer than the model reads")
            demo.leave()
        }
    }

    @Test
    fun anIntentThatCannotBeReadChangesNothing() {
        val parcel = Parcel.obtain()
        Intent(Intent.ACTION_SEND).setType("text/plain").putExtra(Intent.EXTRA_STREAM, Intent())
            .writeToParcel(parcel, 0)
        parcel.setDataPosition(0)
        val demo = Demo(rule)
        // The class of the extra is one that this app lacks.
        demo.receive(Intent.CREATOR.createFromParcel(parcel).apply {
            setExtrasClassLoader(object : ClassLoader(null) {})
        })
        demo.sees("The town clock of Orsa")
    }

    @Test
    fun anotherIntentChangesNothing() {
        val intent = Intent(Intent.ACTION_MAIN).putExtra(Intent.EXTRA_TEXT, "Not shared.")
        assertEquals(0, Demo(rule, intent).count("Not shared."))
    }
}
